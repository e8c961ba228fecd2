internal import Encoding
internal import Platform
internal import Wire

/// Tells of a sign-in while it goes on.
///
/// For people everything goes to standard error: on a terminal a few lines and a countdown that is
/// rewritten once a second, otherwise one plain line. With `--json` the events go to standard output.
struct LoginReporter {
  private let console: Console
  private let isTerminal: Bool
  private let time: any TimeSource
  private let tell: @Sendable (String) -> Void

  /// When the code expires, in unix seconds, while a countdown is shown.
  private var expiry: Int?

  /// When the countdown is to be rewritten; nil when there is none.
  private(set) var nextUpdate: Instant?

  init(_ invocation: Invocation) {
    self.init(console: Console(invocation), isTerminal: Console.errorIsTerminal, time: SystemTime())
  }

  /// - Parameter tell: Where text for people goes.
  init(
    console: Console, isTerminal: Bool, time: any TimeSource, tell: @escaping @Sendable (String) -> Void = Console.tell
  ) {
    self.console = console
    self.isTerminal = isTerminal
    self.time = time
    self.tell = tell
  }

  /// Tells an event.
  mutating func tell(_ event: Event) throws(Failure) {
    if console.json { return try Console.answer(event.json) }
    switch event {
    case .notice(let message):
      eraseCountdown()
      console.note(message)
    case .deviceCode(let code):
      tell(isTerminal ? LoginText.instructions(code) : LoginText.line(code, now: time.wallSeconds()))
      guard isTerminal else { return }
      expiry = code.expiresAt
      nextUpdate = time.now()
    }
  }

  /// Rewrites the countdown when it is due.
  mutating func update() {
    guard let expiry, let due = nextUpdate, time.now() >= due else { return }
    let (left, overflow) = expiry.subtractingReportingOverflow(time.wallSeconds())
    // A daemon's clock is ours; what does not fit is shown as no time left rather than trusted.
    tell("\r\u{1B}[K" + LoginText.countdown(seconds: overflow ? 0 : left))
    nextUpdate = due.advanced(by: .seconds(1))
    if let next = nextUpdate, next < time.now() { nextUpdate = time.now().advanced(by: .seconds(1)) }
  }

  /// Tells that it worked.
  mutating func signedIn(_ result: JSONObject) throws(Failure) {
    eraseCountdown()
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
    eraseCountdown()
    guard console.json, let members = failure.json.object else { return }
    var event = JSONObject([("event", "error")])
    for name in members.names { event[name] = members[name] }
    // The failure goes to standard error too, so a write error here takes nothing away.
    try? Console.answer(event)
  }

  /// Tells that the person gave up.
  mutating func interrupted() {
    eraseCountdown()
    if !console.json { console.note("sign-in cancelled") }
  }

  private mutating func eraseCountdown() {
    if expiry != nil { tell("\r\u{1B}[K") }
    (expiry, nextUpdate) = (nil, nil)
  }
}
