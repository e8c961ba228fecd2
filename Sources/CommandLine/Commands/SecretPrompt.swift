internal import AgentSocket
internal import Platform
internal import Wire

/// Asks a person for a secret on the terminal, where it is not shown.
enum SecretPrompt {
  /// More than a line of a terminal can be.
  private static let mostBytes = 4096

  /// The signals that end or stop programs that wait for a person.
  private static let endings = [Signals.SIGINT, Signals.SIGTERM, Signals.SIGQUIT, Signals.SIGHUP, Signals.SIGTSTP]

  /// Asks, and gives the line that is typed to `body`, without its end.
  ///
  /// Whatever ends the wait, the terminal shows again what is typed; a signal that ends programs then does so.
  ///
  /// - Parameter hint: What helps where there is no terminal.
  static func ask<Result: ~Copyable>(
    _ question: Phrase, hint: Phrase, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var line: [UInt8] = []
    line.reserveCapacity(mostBytes)
    defer { line.overwrite() }
    var ending: Int32?
    do {
      let terminal = try Terminal.openControlling()
      // Held back as long as nothing is shown: none may end this process in between.
      let signals = try holdEndings()
      defer { Signals.unblockAll() }
      ending = try Terminal.withoutEcho(on: terminal) { () throws(SystemError) in
        try terminal.writeAll(Array("\(question.localized()): ".utf8).span)
        return try read(terminal, signals, &line, upTo: mostBytes)
      }
    } catch {
      throw Failure(
        .invalidRequest, "there is no terminal to ask on: \(error.message)", hint: hint)
    }
    if let ending {
      Signals.raise(ending)
      throw Failure(.cancelled, "cancelled")
    }
    while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.isEmpty else { throw Failure(.invalidRequest, "nothing was typed") }
    return try body(line.span)
  }

  /// Holds back what ends or stops this process, for ``read(_:_:_:upTo:)`` to tell; `Signals.unblockAll` lets it go.
  static func holdEndings() throws(SystemError) -> Signals.SignalReceiver {
    try Signals.SignalReceiver(endings.filter { !Signals.isIgnored($0) })
  }

  /// Reads up to the end of the line; returns the signal that came before, if one did.
  static func read(
    _ terminal: borrowing FileDescriptor, _ signals: borrowing Signals.SignalReceiver, _ line: inout [UInt8],
    upTo mostBytes: Int
  ) throws(SystemError) -> Int32? {
    let poller = try Poller()
    try poller.add(terminal.raw, interest: .read, key: 0)
    try poller.add(signals.raw, interest: .read, key: 1)
    while true {
      let events = try poller.wait(timeoutMilliseconds: -1)
      if let signal = signals.next() { return signal }
      guard events.contains(where: { $0.key == 0 }) else { continue }
      let count = try terminal.read(into: &line, upTo: mostBytes - line.count)
      if count == 0 || line.last == UInt8(ascii: "\n") || line.count == mostBytes { return nil }
    }
  }
}
