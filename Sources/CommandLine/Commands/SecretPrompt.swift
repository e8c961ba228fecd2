internal import AgentSocket
internal import Encoding
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
    let ending: Int32?
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
      throw Failure(.invalidRequest, "there is no terminal to ask on: \(Phrase(known: error.message))", hint: hint)
    }
    try endProcess(by: ending)
    while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.isEmpty else { throw Failure(.invalidRequest, "nothing was typed") }
    return try body(line.span)
  }

  /// Holds back what ends or stops this process, for ``read(_:_:_:upTo:)`` to tell; `Signals.unblockAll` lets it go.
  static func holdEndings() throws(SystemError) -> Signals.SignalReceiver {
    try Signals.SignalReceiver(endings.filter { !Signals.isIgnored($0) })
  }

  /// Ends this process by a signal that came, or the command where the signal does not do that.
  static func endProcess(by ending: Int32?) throws(Failure) {
    guard let ending else { return }
    Signals.raise(ending)
    throw Failure(.cancelled, "cancelled")
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

/// Asks a person on the terminal, wherever the standard streams lead, for a line that is shown, or to say yes or no.
enum Confirmation {
  private static let mostBytes = 64
  private static let mostBytesOfLine = 1024

  /// Longer than any address in a question.
  private static let longest = 4096

  private static var choice: String { Phrase("[y/N]").localized() }

  /// - Returns: Whether the person typed `y` or `yes`, in English or the own language; nil when there is no terminal to ask on.
  static func ask(_ question: Phrase) throws(Failure) -> Bool? {
    try read(text(of: question), upTo: mostBytes).map(isYes)
  }

  static func text(of question: Phrase) -> String {
    "\(question.localized(limit: longest, keepsLines: true)) \(choice) "
  }

  static func isYes(_ line: String) -> Bool {
    let answer = line.filter { !$0.isWhitespace }.lowercased()
    let words = Phrase("y yes").localized()
    // The English words are accepted in any language.
    return ["y", "yes"].contains(answer) || words.split(separator: " ").contains { $0 == answer }
  }

  /// - Returns: The line that the person typed, without blanks at its ends; nil when there is no terminal to ask on, or
  ///   nothing was typed.
  static func line(_ question: Phrase) throws(Failure) -> String? {
    guard let line = try read("\(question.localized()): ", upTo: mostBytesOfLine) else { return nil }
    let text = line.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
    return text.isEmpty ? nil : String(text)
  }

  private static func read(_ question: String, upTo mostBytes: Int) throws(Failure) -> String? {
    guard let terminal = try? Terminal.openControlling() else { return nil }
    var line: [UInt8] = []
    let ending: Int32?
    do {
      try terminal.writeAll(Array(question.utf8).span)
      let signals = try SecretPrompt.holdEndings()
      defer { Signals.unblockAll() }
      ending = try SecretPrompt.read(terminal, signals, &line, upTo: mostBytes)
    } catch {
      throw Failure(error, doing: "the terminal cannot be read from")
    }
    try SecretPrompt.endProcess(by: ending)
    return String(decoding: line, as: UTF8.self)
  }
}
