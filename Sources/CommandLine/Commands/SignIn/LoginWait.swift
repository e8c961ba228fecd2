internal import Encoding
internal import Platform
internal import Wire

/// Waits for the daemon and the user during `agent login`.
struct LoginWait {
  enum Ending {
    case signedIn(JSONObject)
    case interrupted(by: Int32)
  }

  private enum PollerKey {
    static let daemon: UInt64 = 0
    static let signals: UInt64 = 1
    static let opener: UInt64 = 2
    static let pasted: UInt64 = 3
    static let relay: UInt64 = 4
  }

  struct Choices {
    /// Whether the sign-in continues in the background.
    let isDetached: Bool
    let opensBrowser: Bool
    let mayAsk: Bool
    /// Whether to use the browser of the machine that the user connected from.
    let usesRelay: Bool
    /// Whether the user of another machine's browser can paste the response here.
    let mayPaste: Bool

    static let unattended = Choices()

    private init() {
      (isDetached, opensBrowser, mayAsk, usesRelay, mayPaste) = (false, false, false, false, false)
    }

    init(_ invocation: Invocation) {
      isDetached = invocation[.start] && invocation[.resume] == nil
      opensBrowser = !invocation[.noOpen] && !isDetached
      usesRelay = opensBrowser && !invocation[.json] && BrowserEnvironment.current.isRemote
      mayAsk = !invocation[.noInput]
      mayPaste = usesRelay && mayAsk && Terminal.isTerminal(0) && Terminal.isTerminal(2)
    }
  }

  private let choices: Choices
  private let environment: BrowserEnvironment
  private let deadline: Instant
  private var opener: BrowserOpener?
  private var pasted: PastedLine?
  private var loginID = ""
  private var hasPasteEnded = false
  /// The connection to the user's machine, if it can open the page.
  private var relay: RelayConnection?
  private var relayedPage: Event.Browser?

  init(_ choices: Choices, environment: BrowserEnvironment, _ relay: RelayConnection?, until deadline: Instant) {
    self.choices = choices
    self.environment = environment
    self.relay = relay
    self.deadline = deadline
  }

  mutating func run(
    over connection: inout DaemonConnection, _ signals: inout SignInSignals,
    _ reporter: inout LoginReporter
  ) throws(Failure) -> Ending {
    while true {
      while let reply = try connection.takeReply() {
        switch reply {
        case .result(let result):
          relay?.show(.signedIn(person: (result["person"] ?? result["subject"])?.string))
          return .signedIn(result)
        case .failure(let failure):
          relay?.show(.failed(failure.message))
          throw failure
        case .event(.confirm(let confirm)): try answer(confirm, connection, &signals, &reporter)
        case .event(let event): try handle(event, &signals, &reporter)
        }
      }
      let keys = try waitForInput(connection, signals, reporter)
      if keys.contains(PollerKey.signals), let signal = signals.handle(&reporter) { return .interrupted(by: signal) }
      if keys.contains(PollerKey.daemon) { try connection.readMore() }
      if keys.contains(PollerKey.pasted) { try readPasted(connection) }
      if keys.contains(PollerKey.relay) { try readRelay(connection, &signals, &reporter) }
      if Instant.now >= deadline { throw Failure(.timeout, "the sign-in was not approved in time") }
      try updateOpener(&reporter)
      reporter.update()
    }
  }

  // MARK: Events

  private mutating func handle(
    _ event: Event, _ signals: inout SignInSignals, _ reporter: inout LoginReporter
  ) throws(Failure) {
    switch event {
    case .browser(let browser):
      if browser.mustPaste, let relay {
        try ask(relay, for: browser, &signals, &reporter)
      } else {
        try beginBrowserSignIn(browser, &signals, &reporter)
      }
    case .deviceCode:
      relay = nil
      try reporter.report(event)
    case .redirectRefused(let failure):
      // A user can retry, but input from a pipe is final.
      guard pasted?.isTerminal == true else { throw failure }
      hasPasteEnded = false
      try reporter.report(event)
    default: try reporter.report(event)
    }
  }

  /// Asks whether it was the user who signed in. If it must not ask or has no terminal, answers no.
  private mutating func answer(
    _ confirm: Event.Confirm, _ connection: borrowing DaemonConnection, _ signals: inout SignInSignals,
    _ reporter: inout LoginReporter
  ) throws(Failure) {
    try reporter.report(.confirm(confirm))
    reporter.suspend()
    signals.showTyping()
    pasted = nil
    let isConfirmed = choices.mayAsk ? try Confirmation.ask(LoginText.question(confirm)) ?? false : false
    try connection.send(
      RequestEnvelope(.loginStep(.confirm(loginID: confirm.loginID, isConfirmed: isConfirmed))))
  }

  private mutating func beginBrowserSignIn(
    _ browser: Event.Browser, _ signals: inout SignInSignals, _ reporter: inout LoginReporter
  ) throws(Failure) {
    loginID = browser.loginID
    guard !browser.mustPaste || choices.isDetached else {
      // Turn echo off before the prompt.
      pasted = try PastedLine.open(&signals, mayUseTerminal: choices.mayAsk)
      return try reporter.report(.browser(browser))
    }
    // Other users can read command lines.
    let link = browser.linkURL ?? browser.url
    let commands = choices.opensBrowser ? environment.commands(opening: link) : []
    let mayOpen = !commands.isEmpty && BrowserOpener.mayOpen(browser.url) && BrowserOpener.mayOpen(link)
    let view: BrowserView
    if mayOpen {
      view = .opens
    } else if choices.mayPaste {
      view = .elsewhere(tunnel: Self.tunnelCommand(browser))
      pasted = try PastedLine.open(&signals, mayUseTerminal: true)
    } else {
      view = .byHand
    }
    try reporter.report(.browser(browser), view)
    if mayOpen {
      opener = BrowserOpener(commands)
    } else if environment.isRemote, view == .byHand {
      let tunnel = Self.tunnelCommand(browser)
      try reporter.report(.notice(Phrase("on your own machine run: \(tunnel); or use --device or --paste")))
    }
  }

  // MARK: The user's own machine

  private mutating func ask(
    _ relay: RelayConnection, for browser: Event.Browser, _ signals: inout SignInSignals,
    _ reporter: inout LoginReporter
  ) throws(Failure) {
    loginID = browser.loginID
    relayedPage = browser
    reporter.removeCountdown()
    try reporter.report(.notice(Phrase("asking on your own machine, in the terminal of \("agent ssh")")))
    do throws(RelayRefusal) { try relay.open(browser) } catch {
      try leaveRelay(error, &signals, &reporter)
    }
  }

  /// Forwards the redirect from the user's machine to the daemon.
  private mutating func readRelay(
    _ connection: borrowing DaemonConnection, _ signals: inout SignInSignals, _ reporter: inout LoginReporter
  ) throws(Failure) {
    let url: String?
    do throws(RelayRefusal) { url = try relay?.read() } catch {
      return try leaveRelay(error, &signals, &reporter)
    }
    guard let url, relayedPage.take() != nil else { return }
    try connection.send(RequestEnvelope(.loginStep(.redirect(loginID: loginID, url: url))))
  }

  /// Continues without the user's machine: opens the page here, or lets the user paste the redirect.
  private mutating func leaveRelay(
    _ refusal: RelayRefusal, _ signals: inout SignInSignals, _ reporter: inout LoginReporter
  ) throws(Failure) {
    relay = nil
    guard let browser = relayedPage.take() else { return }
    try reporter.report(.notice(refusal.phrase))
    try beginBrowserSignIn(browser, &signals, &reporter)
  }

  /// The `ssh` command that forwards the redirect's port to this machine.
  private static func tunnelCommand(_ browser: Event.Browser) -> String {
    let port = (try? URI(browser.redirectURI))?.port.map { String($0) } ?? "PORT"
    return "ssh -L \(port):127.0.0.1:\(port) \(sshDestination(Environment.value))"
  }

  static func sshDestination(_ variables: (String) -> String?) -> String {
    let user = UserEntry.of(Machine.userID)?.name ?? variables("USER") ?? String(Machine.userID)
    // Client address, client port, server address, server port (ssh(1)).
    let words = (variables("SSH_CONNECTION") ?? "").split(separator: " ")
    guard words.count == 4, words[2].utf8.allSatisfy(\.isVisibleASCII) else { return "\(user)@\(Machine.hostName())" }
    return "\(user)@\(words[2])" + (words[3] == "22" ? "" : " -p \(words[3])")
  }

  private mutating func updateOpener(_ reporter: inout LoginReporter) throws(Failure) {
    opener?.update(.now)
    guard let state = opener?.state, state != .trying else { return }
    opener = nil
    if state == .failed {
      try reporter.report(
        .notice(Phrase("cannot open a browser; open the address above yourself, or use --paste or --device")))
    }
  }

  private mutating func readPasted(_ connection: borrowing DaemonConnection) throws(Failure) {
    guard let url = try pasted?.read() else { return }
    hasPasteEnded = pasted?.isTerminal != true
    try connection.send(RequestEnvelope(.loginStep(.redirect(loginID: loginID, url: url))))
  }

  // MARK: Waiting

  /// Returns the poller keys of available input.
  private func waitForInput(
    _ connection: borrowing DaemonConnection, _ signals: borrowing SignInSignals, _ reporter: LoginReporter
  ) throws(Failure) -> Set<UInt64> {
    var moment = min(deadline, reporter.nextUpdate ?? deadline)
    if let next = opener?.deadline { moment = min(moment, next) }
    do {
      let poller = try Poller()
      try poller.add(connection.descriptor, interest: .read, key: PollerKey.daemon)
      try poller.add(signals.raw, interest: .read, key: PollerKey.signals)
      if let relay { try poller.add(relay.raw, interest: .read, key: PollerKey.relay) }
      if let raw = opener?.raw { try poller.add(raw, interest: .read, key: PollerKey.opener) }
      if !hasPasteEnded, let raw = pasted?.raw, try !Self.add(raw, to: poller) {
        return [PollerKey.pasted]
      }
      return Set(try poller.wait(until: moment).map(\.key))
    } catch {
      throw Failure(error, doing: "cannot wait for the daemon")
    }
  }

  /// Returns false for a regular file, which cannot be polled.
  private static func add(_ pasted: Int32, to poller: borrowing Poller) throws(SystemError) -> Bool {
    do {
      try poller.add(pasted, interest: .read, key: PollerKey.pasted)
      return true
    } catch {
      guard error.isPermissionDenied else { throw error }
      return false
    }
  }
}
