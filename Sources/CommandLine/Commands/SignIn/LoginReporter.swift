internal import Encoding
internal import Platform
internal import Wire

/// Reports a sign-in's progress: on standard error as a screen with a countdown or as plain lines, with `--json` as
/// events on standard output.
struct LoginReporter {
  /// The awaited step.
  private enum Phase {
    case nothing
    case server
    /// The user's approval until the code expires, in unix seconds.
    case approval(expiry: Int)
    /// The pasted URL, until this time in unix seconds.
    case paste(expiry: Int)
  }

  private let console: Console
  private let terminal: OutputTerminal?
  private let time: any TimeSource
  private let write: @Sendable (String) -> Void
  private var phase = Phase.nothing
  /// The countdown's line; nil if lines cannot be rewritten.
  private var status: StatusLine?
  private let qrCode: QRCodeChoice
  /// Whether the sign-in continues in the background.
  private let isDetached: Bool
  private let resumedLoginID: String?
  /// The QR code of the next ``Event/DeviceCode``.
  private var nextQRCode: Event.QRCode?

  /// Whether the user signs in to several accounts, none of which should become active.
  var isOneOfSeveral = false

  private(set) var nextUpdate: Instant?

  /// Throws `invalid_request` if the environment has an unknown choice of ``QRCodeChoice``.
  init(_ invocation: Invocation) throws(Failure) {
    self.init(
      console: Console(invocation), terminal: .current, time: SystemTime(), qrCode: try QRCodeChoice.fromEnvironment(),
      resumedLoginID: invocation[.resume],
      isDetached: invocation[.start] && invocation[.resume] == nil)
  }

  /// - Parameter terminal: Nil if standard error is not a terminal.
  init(
    console: Console, terminal: OutputTerminal?, time: any TimeSource, qrCode: QRCodeChoice = .automatic,
    resumedLoginID: String? = nil, isDetached: Bool = false,
    write: @escaping @Sendable (String) -> Void = Console.printToStandardError
  ) {
    self.console = console
    self.terminal = terminal
    self.time = time
    self.write = write
    self.qrCode = qrCode
    self.resumedLoginID = resumedLoginID
    self.isDetached = isDetached
    guard let terminal, terminal.canRewriteLines, !console.usesJSON, !console.isQuiet else { return }
    status = StatusLine(terminal, write: write)
  }

  /// Starts waiting for the server. Shows a message after a second.
  mutating func startServerWait() {
    guard status != nil else { return }
    phase = .server
    nextUpdate = time.now().advanced(by: DaemonWait.delay)
  }

  mutating func report(_ event: Event, _ view: BrowserView = .byHand) throws(Failure) {
    // Always for users, even with `--json`.
    if case .progress(let entry) = event { return reportStep(entry) }
    if console.usesJSON { return try Console.answer(event.json) }
    status?.erase()
    let (now, isQuiet) = (time.wallSeconds(), console.isQuiet)
    let rows = terminal.map { $0.rows() ?? 0 }
    switch event {
    case .confirm, .response, .body, .bodyWanted, .progress, .following, .session, .tokenFile, .lease, .leaseEntry,
      .leaseQuestion:
      break
    case .notice(let message): console.note(message)
    case .qrCode(let code): nextQRCode = code
    case .redirectRefused(let failure):
      console.note(failure.advice.map { Phrase("\(failure.text); \($0)") } ?? failure.text)
    case .browser(let browser):
      let line = LoginText.line(browser, now: now, isQuiet: isQuiet)
      let pastes = browser.mustPaste && !isDetached || view.isElsewhere
      show(until: browser.expiresAt, pastes: pastes, line: line) { screen in
        isQuiet
          ? screen.briefText(browser, view) : screen.text(rows: rows) { $0.text(browser, view, now: now) }
      }
    case .deviceCode(let code):
      let picture = terminal.flatMap { terminal in nextQRCode.flatMap { QRPicture($0, terminal) } }
      let rows = qrCode == .always ? nil : rows
      nextQRCode = nil
      show(until: code.expiresAt, line: LoginText.line(code, now: now, isQuiet: isQuiet)) { screen in
        isQuiet ? screen.briefText(code) : screen.text(code, picture, rows: rows)
      }
    }
    showCountdownAgain()
  }

  var drawsQRCodes: Bool {
    guard let terminal, qrCode != .never, !console.usesJSON, !console.isQuiet else { return false }
    return terminal.canRewriteLines && terminal.showsUTF8
  }

  private mutating func reportStep(_ entry: LogLine?) {
    status?.erase()
    console.detail(entry)
    showCountdownAgain()
  }

  private mutating func showCountdownAgain() {
    switch phase {
    case .approval, .paste: nextUpdate = time.now()
    case .nothing, .server: break
    }
  }

  /// Shows a screen, or `line` without a terminal. `pastes`: whether the user pastes the redirect.
  private mutating func show(
    until expiry: Int, pastes: Bool = false, line: @autoclosure () -> String, _ text: (SignInScreen) -> String
  ) {
    if status != nil { phase = pastes ? .paste(expiry: expiry) : .approval(expiry: expiry) }
    guard let terminal else { return write(line()) }
    let screen = text(SignInScreen(columns: terminal.columns(), isStyled: terminal.hasStyles))
    let showsWait = !console.isQuiet && !terminal.canRewriteLines
    let left = LoginText.secondsLeft(expiry, now: time.wallSeconds())
    let wait =
      pastes
      ? LoginText.pastePrompts(seconds: left)[0] + "\n"
      : LoginText.waitNote(until: expiry, now: time.wallSeconds(), isResumed: resumedLoginID != nil)
    write(screen + (showsWait ? wait : ""))
  }

  /// Updates the countdown if due.
  mutating func update() {
    guard let due = nextUpdate, time.now() >= due else { return }
    switch phase {
    case .nothing: break
    case .server: status?.show(DaemonWait.forServer.wordings)
    case .approval(let expiry):
      let left = LoginText.secondsLeft(expiry, now: time.wallSeconds())
      let wordings = LoginText.countdown(seconds: left, isResumed: resumedLoginID != nil)
      status?.show(wordings)
    case .paste(let expiry):
      let prompts = LoginText.pastePrompts(seconds: LoginText.secondsLeft(expiry, now: time.wallSeconds()))
      status?.show(prompts)
    }
    nextUpdate = due.advanced(by: .seconds(1))
    if let next = nextUpdate, next < time.now() { nextUpdate = time.now().advanced(by: .seconds(1)) }
  }

  var hasCountdown: Bool { status != nil }

  /// Erases the countdown until ``resumeCountdown()``.
  mutating func suspend() { status?.erase() }

  mutating func resumeCountdown() {
    if nextUpdate != nil { nextUpdate = time.now() }
  }

  mutating func reportSuccess(_ result: JSONObject) throws(Failure) {
    removeCountdown()
    if console.usesJSON { return try Console.answer(Self.event("signed_in", result)) }
    console.note(LoginText.success(result, now: time.wallSeconds()))
    if result["kept"] == nil, !isOneOfSeveral, let other = LoginText.otherActiveAccount(result) { console.note(other) }
  }

  /// Reports a sign-in in the background. Returns the exit status: 0 if just started (`isStart`), "try later" if still
  /// pending.
  mutating func reportBackground(_ result: JSONObject, isStart: Bool) throws(Failure) -> Int32 {
    removeCountdown()
    if console.usesJSON {
      try Console.answer(Self.event(isStart ? "started" : "waiting", result))
    } else if isStart, let login = result["login"]?.string {
      try Console.answer(TerminalText.clean(login) + "\n")
      console.note(LoginText.inBackground(login))
    } else {
      console.note("the sign-in is not approved yet")
    }
    return isStart ? 0 : ExitStatus.tryLater.rawValue
  }

  /// Removes the countdown. With `--json`, writes the failure as an event.
  mutating func reportFailure(_ failure: Failure) {
    removeCountdown()
    guard console.usesJSON, let members = console.completingHint(of: failure).json.object else { return }
    // Standard error reports the failure too, so ignore write errors.
    try? Console.answer(Self.event("error", members))
  }

  /// A JSON event with these members, except `state`.
  private static func event(_ name: String, _ members: JSONObject) -> JSONObject {
    var event = JSONObject([("event", .string(name))])
    for name in members.names where name != "state" { event[name] = members[name] }
    return event
  }

  mutating func reportInterruption() {
    removeCountdown()
    if !console.usesJSON { console.note(resumedLoginID.map(LoginText.inBackground) ?? Phrase("sign-in cancelled")) }
  }

  mutating func removeCountdown() {
    status?.erase()
    (phase, nextUpdate) = (.nothing, nil)
  }
}
