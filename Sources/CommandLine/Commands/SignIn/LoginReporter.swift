internal import Encoding
internal import Platform
internal import Wire

/// Reports the progress of a sign-in.
///
/// Text for users goes to standard error: on a terminal a screen with a countdown below it, otherwise one plain line.
/// With `--json` the events go to standard output.
struct LoginReporter {
  /// The event being waited for.
  private enum Phase {
    case nothing
    case server
    /// The approval; the code expires at this time, in unix seconds.
    case approval(expiry: Int)
    /// The pasted URL, until this time.
    case paste(expiry: Int)
  }

  private let console: Console
  private let terminal: OutputTerminal?
  private let time: any TimeSource
  private let tell: @Sendable (String) -> Void
  private var phase = Phase.nothing
  private var status: StatusLine?
  private let qrCode: QRCodeChoice
  private let copiesCode: Bool
  private let isDetached: Bool
  /// The name of a sign-in that continues without this command.
  private let resumed: String?
  /// The QR code of the device code that follows.
  private var nextQRCode: Event.QRCode?

  /// When the line at the bottom must be rewritten; nil if there is none.
  private(set) var nextUpdate: Instant?

  init(_ invocation: Invocation) {
    self.init(
      console: Console(invocation), terminal: .current, time: SystemTime(), qrCode: invocation[.qrCode] ?? .automatic,
      copiesCode: invocation[.copyCode], resumed: invocation[.resume], isDetached: invocation[.start])
  }

  /// - Parameters:
  ///   - terminal: Standard error's terminal; nil if it is not a terminal.
  ///   - resumed: The name of a sign-in in the background to wait for.
  ///   - tell: Writes text for users.
  init(
    console: Console, terminal: OutputTerminal?, time: any TimeSource, qrCode: QRCodeChoice = .automatic,
    copiesCode: Bool = false, resumed: String? = nil, isDetached: Bool = false,
    tell: @escaping @Sendable (String) -> Void = Console.tell
  ) {
    self.console = console
    self.terminal = terminal
    self.time = time
    self.tell = tell
    self.qrCode = qrCode
    self.copiesCode = copiesCode
    self.resumed = resumed
    self.isDetached = isDetached
    guard let terminal, terminal.obeysEscapes, !console.json, !console.quiet else { return }
    status = StatusLine(terminal, tell: tell)
  }

  /// Records that the authorization server's response is awaited; a message appears if it takes long.
  mutating func waitsForServer() {
    guard status != nil else { return }
    phase = .server
    nextUpdate = time.now().advanced(by: Patience.delay)
  }

  /// Records that the user is asked on another machine, whose terminal may be this one.
  mutating func waitsElsewhere() { finish() }

  /// Reports an event.
  ///
  /// - Parameter view: Whether the user sees a browser.
  mutating func tell(_ event: Event, _ view: BrowserView = .byHand) throws(Failure) {
    // Always for users, whatever the output format.
    if case .progress(let entry) = event { return tellStep(entry) }
    if console.json { return try Console.answer(event.json) }
    status?.erase()
    let (now, isQuiet) = (time.wallSeconds(), console.quiet)
    switch event {
    // These events belong to other requests, and steps are reported elsewhere.
    case .confirm, .response, .body, .bodyWanted, .progress, .following, .session, .tokenFile, .lease, .leaseEntry,
      .leaseQuestion:
      break
    case .notice(let message): console.note(message)
    case .qrCode(let code): nextQRCode = code
    case .redirectRefused(let failure):
      console.note(failure.advice.map { Phrase("\(failure.text); \($0)") } ?? failure.text)
    case .browser(let browser):
      let line = LoginText.line(browser, now: now, isQuiet: isQuiet)
      show(until: browser.expiresAt, pastes: browser.mustPaste && !isDetached, line: line) { screen in
        isQuiet ? screen.quietText(browser) : screen.text(browser, view, now: now)
      }
    case .deviceCode(let code):
      let picture = terminal.flatMap { terminal in nextQRCode.flatMap { QRPicture($0, terminal) } }
      let rows = qrCode == .always ? nil : terminal.map { $0.rows() ?? 0 }
      nextQRCode = nil
      show(until: code.expiresAt, line: LoginText.line(code, now: now, isQuiet: isQuiet)) { screen in
        isQuiet ? screen.quietText(code) : screen.text(code, picture, rows: rows)
      }
      if copiesCode { copy(code) }
    }
    showCountdownAgain()
  }

  /// Whether a QR code is useful here.
  var drawsQRCodes: Bool {
    guard let terminal, qrCode != .never, !console.json, !console.quiet else { return false }
    return terminal.obeysEscapes && terminal.showsUTF8
  }

  private func copy(_ code: Event.DeviceCode) {
    let done = Clipboard.offer(code.userCode)
    console.note(
      done
        ? Phrase("code copied to the clipboard, if your terminal allows it")
        : Phrase("this terminal cannot copy the code"))
  }

  private mutating func tellStep(_ entry: LogLine?) {
    status?.erase()
    console.detail(entry)
    showCountdownAgain()
  }

  /// Restores the countdown after text was written above it.
  private mutating func showCountdownAgain() {
    switch phase {
    case .approval, .paste: nextUpdate = time.now()
    case .nothing, .server: break
    }
  }

  /// Shows a screen, or one line without a terminal.
  private mutating func show(
    until expiry: Int, pastes: Bool = false, line: @autoclosure () -> String, _ text: (SignInScreen) -> String
  ) {
    if status != nil { phase = pastes ? .paste(expiry: expiry) : .approval(expiry: expiry) }
    guard let terminal else { return tell(line()) }
    let screen = text(SignInScreen(columns: terminal.columns(), isStyled: terminal.hasStyles))
    let showsWait = !console.quiet && !terminal.obeysEscapes
    let left = LoginText.secondsLeft(expiry, now: time.wallSeconds())
    let wait =
      pastes
      ? LoginText.pastePrompts(seconds: left)[0] + "\n"
      : LoginText.wait(until: expiry, now: time.wallSeconds(), isResumed: resumed != nil)
    tell(screen + (showsWait ? wait : ""))
  }

  /// Rewrites the line at the bottom when due.
  mutating func update() {
    guard let due = nextUpdate, time.now() >= due else { return }
    switch phase {
    case .nothing: break
    case .server: status?.show(Patience.forServer.wordings)
    case .approval(let expiry):
      let left = LoginText.secondsLeft(expiry, now: time.wallSeconds())
      let wordings = LoginText.countdown(seconds: left, isResumed: resumed != nil)
      status?.show(wordings)
    case .paste(let expiry):
      let prompts = LoginText.pastePrompts(seconds: LoginText.secondsLeft(expiry, now: time.wallSeconds()))
      status?.show(prompts)
    }
    nextUpdate = due.advanced(by: .seconds(1))
    if let next = nextUpdate, next < time.now() { nextUpdate = time.now().advanced(by: .seconds(1)) }
  }

  var rewritesLine: Bool { status != nil }

  /// Erases the line at the bottom until ``goOn()``.
  mutating func suspend() { status?.erase() }

  /// Shows the line at the bottom again.
  mutating func goOn() {
    if nextUpdate != nil { nextUpdate = time.now() }
  }

  /// Reports success.
  mutating func signedIn(_ result: JSONObject) throws(Failure) {
    finish()
    if console.json { return try Console.answer(Self.event("signed_in", result)) }
    console.note(LoginText.success(result, now: time.wallSeconds()))
    if result["kept"] == nil, let other = LoginText.otherActive(result) { console.note(other) }
  }

  /// Reports a sign-in that continues in the background.
  ///
  /// - Returns: The exit status: success for a start; a pending sign-in that was queried returns the status to try
  ///   again later.
  mutating func standing(_ result: JSONObject, isStart: Bool) throws(Failure) -> Int32 {
    finish()
    if console.json {
      try Console.answer(Self.event(isStart ? "started" : "waiting", result))
    } else if isStart, let login = result["login"]?.string {
      try Console.answer(TerminalText.clean(login) + "\n")
      console.note(LoginText.inBackground(login))
    } else {
      console.note("the sign-in is not approved yet")
    }
    return isStart ? 0 : ExitStatus.tryLater.rawValue
  }

  /// Reports failure in the stream of events. The failure itself is reported like that of every command.
  mutating func failed(_ failure: Failure) {
    finish()
    guard console.json, let members = console.completed(failure).json.object else { return }
    // The failure also goes to standard error, so a write error here loses nothing.
    try? Console.answer(Self.event("error", members))
  }

  private static func event(_ name: String, _ members: JSONObject) -> JSONObject {
    var event = JSONObject([("event", .string(name))])
    for name in members.names where name != "state" { event[name] = members[name] }
    return event
  }

  /// Reports that the user cancelled.
  mutating func interrupted() {
    finish()
    if !console.json { console.note(resumed.map(LoginText.inBackground) ?? Phrase("sign-in cancelled")) }
  }

  /// Erases the line at the bottom permanently.
  private mutating func finish() {
    status?.erase()
    (phase, nextUpdate) = (.nothing, nil)
  }
}
