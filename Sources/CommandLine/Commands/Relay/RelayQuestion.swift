internal import Platform
internal import Wire

/// Stops `ssh` to ask on its terminal, and opens the browser.
final class RelayQuestion: RelayConsole {
  let host: String
  /// The process ID of the terminal's `ssh`; nil if not running.
  private let terminalOwner: () -> Int32?

  private static let timeout = Duration.seconds(120)
  /// The timeout for `ssh` to stop.
  private static let stopTimeout = Duration.seconds(2)

  init(_ host: String, terminalOwner: @escaping () -> Int32?) {
    (self.host, self.terminalOwner) = (host, terminalOwner)
  }

  func open(
    _ request: RelayedRequest, _ link: String, _ names: (issuer: String, account: String)
  ) throws(RelayRefusal) {
    guard let terminal = try? Terminal.openControlling(), Terminal.isForeground(terminal) else { throw .noTerminal }
    guard let owner = terminalOwner(), Processes.suspend(owner, within: Self.stopTimeout) else { throw .noTerminal }
    defer { try? Spawn.kill(owner, Signals.SIGCONT) }
    let answer: RelayRefusal?
    do throws(SystemError) {
      answer = try Terminal.withLineMode(on: terminal) { () throws(SystemError) in
        Terminal.discardInput(on: terminal)
        // The host may have hidden text or moved the output (DECSTR).
        let reset = OutputTerminal.current?.canRewriteLines == true ? "\u{1B}[!p" : ""
        try terminal.writeAll(Array((reset + text(request, names)).utf8).span)
        let refusal = try Self.answer(on: terminal)
        if let refusal { return refusal }
        if !Self.open(request, link) {
          let advice = Phrase("cannot open a browser; open this address yourself: \(link)")
          try terminal.writeAll(Array("\(advice.localized(limit: 4096))\n".utf8).span)
        }
        return nil
      }
    } catch {
      throw .noTerminal
    }
    if let answer { throw answer }
  }

  func text(_ request: RelayedRequest, _ names: (issuer: String, account: String)) -> String {
    let screen = SignInScreen(columns: OutputTerminal.current?.columns() ?? 80, isStyled: false)
    return "\n" + screen.prose(Phrase("\(host) asks to open a page of \(request.authority) in your browser."))
      + "\n"
      + screen.heading(
        issuer: names.issuer, account: names.account, clientID: request.clientID, scope: request.scope)
      + screen.prose(Phrase("The answer goes to \(host):")) + screen.line(request.redirectURI)
      + screen.prose(Phrase("The page:")) + screen.line(request.url) + "\n"
      + screen.prose(Phrase("Agree only if you just started this sign-in there yourself."))
      + Confirmation.text(of: Phrase("Open the page?"))
  }

  /// Nil if the user agreed.
  private static func answer(on terminal: borrowing FileDescriptor) throws(SystemError) -> RelayRefusal? {
    let deadline = Instant.now.advanced(by: timeout)
    var line: [UInt8] = []
    while true {
      guard try terminal.waitUntilReadable(timeout: Instant.now.duration(to: deadline)) else { return .late }
      guard try Terminal.readTyped(on: terminal, into: &line) > 0 else { return .declined }
      if line.last == UInt8(ascii: "\n") || line.count >= Terminal.maximumLineBytes {
        return Confirmation.isYes(String(decoding: line, as: UTF8.self)) ? nil : .declined
      }
    }
  }

  private static func open(_ request: RelayedRequest, _ link: String) -> Bool {
    guard BrowserOpener.mayOpen(request.url) else { return false }
    return (try? BrowserOpener.runUntilOpened(BrowserEnvironment.current.commands(opening: link))) ?? false
  }
}
