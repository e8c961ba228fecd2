internal import Encoding
internal import Platform
internal import Wire

/// Opens the pages that end browser sessions after a local sign-out (OpenID Connect RP-Initiated Logout 1.0).
struct LogoutPages {
  let console: Console
  /// Commands that may open a URL; if empty, the URL is printed.
  let commands: (String) -> [[String]]

  private static let maximumURLLength = 16_384

  init(_ invocation: Invocation, environment: BrowserEnvironment = .current) {
    console = Console(invocation)
    let opens = !invocation[.noOpen] && environment.canOpenBrowser
    commands = { opens ? environment.commands(opening: $0) : [] }
  }

  func open(_ accounts: [JSON]) throws(Failure) {
    for account in accounts {
      let name = account["account"]?.string ?? "?"
      guard let url = account["end_session_url"]?.string else {
        console.note("\(name): no sign-out page is known, so the browser remains signed in at the server")
        continue
      }
      if try open(url) {
        console.note("\(name): opening the server's sign-out page, which shows whether the browser was signed out")
      } else {
        show(url, of: name)
      }
    }
  }

  private func open(_ url: String) throws(Failure) -> Bool {
    guard BrowserOpener.mayOpen(url) else { return false }
    let commands = commands(url)
    guard !commands.isEmpty else { return false }
    return try BrowserOpener.runUntilOpened(commands)
  }

  private func show(_ url: String, of name: String) {
    guard !console.usesJSON else { return }
    console.note("\(name): to sign the browser out at the server too, open:")
    if !console.isQuiet { Console.printToStandardError(TerminalText.clean(url, limit: Self.maximumURLLength) + "\n") }
  }
}

extension BrowserOpener {
  /// Runs the commands, at most two seconds each, until one opens the URL; false if none does.
  static func runUntilOpened(_ commands: [[String]]) throws(Failure) -> Bool {
    var opener = BrowserOpener(commands)
    while opener.state == .trying, let deadline = opener.deadline {
      do {
        let poller = try Poller()
        if let raw = opener.raw { try poller.add(raw, interest: .read, key: 0) }
        _ = try poller.wait(until: deadline)
      } catch {
        throw Failure(error, doing: "cannot wait for the browser")
      }
      opener.update(.now)
    }
    return opener.state == .opened
  }
}
