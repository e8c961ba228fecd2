internal import Encoding
internal import Platform
internal import Wire

/// Tells of a sign-in while it goes on.
///
/// For people everything goes to standard error: on a terminal a screen with a countdown below it,
/// otherwise one plain line. With `--json` the events go to standard output.
struct LoginReporter {
  /// What the person is waiting for.
  private enum Phase {
    case nothing
    case server
    /// The approval; the code expires at this time, in unix seconds.
    case approval(expiry: Int)
  }

  private let console: Console
  private let terminal: ErrorTerminal?
  private let time: any TimeSource
  private let tell: @Sendable (String) -> Void
  private var phase = Phase.nothing
  private var status: StatusLine?

  /// When the line at the bottom is to be rewritten; nil when there is none.
  private(set) var nextUpdate: Instant?

  init(_ invocation: Invocation) {
    self.init(console: Console(invocation), terminal: .current, time: SystemTime())
  }

  /// - Parameters:
  ///   - terminal: Standard error's; nil when that is none.
  ///   - tell: Where text for people goes.
  init(
    console: Console, terminal: ErrorTerminal?, time: any TimeSource,
    tell: @escaping @Sendable (String) -> Void = Console.tell
  ) {
    self.console = console
    self.terminal = terminal
    self.time = time
    self.tell = tell
    guard let terminal, terminal.obeysEscapes, !console.json, !console.quiet else { return }
    status = StatusLine(terminal, tell: tell)
  }

  /// From now on the authorization server is waited for; a person is told when it takes long.
  mutating func waitsForServer() {
    guard status != nil else { return }
    phase = .server
    nextUpdate = time.now().advanced(by: Patience.delay)
  }

  /// Tells an event.
  mutating func tell(_ event: Event) throws(Failure) {
    if console.json { return try Console.answer(event.json) }
    status?.erase()
    switch event {
    // Only resources answer with one.
    case .response: break
    case .notice(let message):
      console.note(message)
    case .deviceCode(let code):
      show(code)
      if status != nil { (phase, nextUpdate) = (.approval(expiry: code.expiresAt), time.now()) }
    }
  }

  private func show(_ code: Event.DeviceCode) {
    let now = time.wallSeconds()
    guard let terminal else { return tell(LoginText.line(code, now: now, isQuiet: console.quiet)) }
    let screen = SignInScreen(columns: terminal.columns(), isStyled: terminal.hasStyles)
    if console.quiet { return tell(screen.quietText(code)) }
    tell(screen.text(code) + (terminal.obeysEscapes ? "" : LoginText.wait(code, now: now)))
  }

  /// Rewrites the line at the bottom when that is due.
  mutating func update() {
    guard let due = nextUpdate, time.now() >= due else { return }
    switch phase {
    case .nothing: break
    case .server: status?.show(Patience.forServer.wordings)
    case .approval(let expiry):
      let (left, overflow) = expiry.subtractingReportingOverflow(time.wallSeconds())
      // A daemon's clock is ours; what does not fit is shown as no time left rather than trusted.
      status?.show(LoginText.countdown(seconds: overflow ? 0 : left))
    }
    nextUpdate = due.advanced(by: .seconds(1))
    if let next = nextUpdate, next < time.now() { nextUpdate = time.now().advanced(by: .seconds(1)) }
  }

  /// Tells that it worked.
  mutating func signedIn(_ result: JSONObject) throws(Failure) {
    finish()
    if console.json {
      var event = JSONObject([("event", "signed_in")])
      for name in result.names { event[name] = result[name] }
      return try Console.answer(event)
    }
    console.note(LoginText.success(result, now: time.wallSeconds()))
  }

  /// Tells that it failed, where that belongs to the stream of events; the failure itself is reported
  /// as every command's.
  mutating func failed(_ failure: Failure) {
    finish()
    guard console.json, let members = failure.json.object else { return }
    var event = JSONObject([("event", "error")])
    for name in members.names { event[name] = members[name] }
    // The failure goes to standard error too, so a write error here takes nothing away.
    try? Console.answer(event)
  }

  /// Tells that the person gave up.
  mutating func interrupted() {
    finish()
    if !console.json { console.note("sign-in cancelled") }
  }

  /// Takes the line at the bottom away for good.
  private mutating func finish() {
    status?.erase()
    (phase, nextUpdate) = (.nothing, nil)
  }
}
