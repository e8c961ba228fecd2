internal import Platform
internal import Wire

/// Prompts for a secret on the terminal, without echo.
enum SecretPrompt {
  private static let interruptSignals = [
    Signals.SIGINT, Signals.SIGTERM, Signals.SIGQUIT, Signals.SIGHUP, Signals.SIGTSTP,
  ]

  /// Passes the typed line without its newline to `body`. Always restores echo; then received signals take effect.
  /// `hint` is for the failure without a terminal.
  static func ask<Result: ~Copyable>(
    _ question: Phrase, hint: Phrase, within timeout: Duration? = nil, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var line: [UInt8] = []
    line.reserveCapacity(2 * Terminal.maximumLineBytes)
    defer { line.overwrite() }
    let ending: Int32?
    do {
      let terminal = try Terminal.openControlling()
      // Signals must not end this process while echo is off.
      let signals = try blockTerminationSignals()
      defer { Signals.unblockAll() }
      ending = try Terminal.withoutEcho(on: terminal) { () throws(SystemError) in
        try terminal.writeAll(Array("\(question.localized()): ".utf8).span)
        return try read(terminal, signals, &line, within: timeout)
      }
    } catch {
      throw Failure(.invalidRequest, "no terminal to ask on: \(Phrase(known: error.message))", hint: hint)
    }
    try endProcess(by: ending)
    guard timeout == nil || line.last == UInt8(ascii: "\n") else {
      Console.printToStandardError("\n")
      throw Failure(.invalidRequest, "no input")
    }
    while let last = line.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.isEmpty else { throw Failure(.invalidRequest, "no input") }
    return try body(line.span)
  }

  /// Blocks signals that end or stop this process, for ``read(_:_:_:within:)``. Undo with `Signals.unblockAll`.
  static func blockTerminationSignals() throws(SystemError) -> Signals.SignalReceiver {
    try Signals.SignalReceiver(interruptSignals.filter { !Signals.isIgnored($0) })
  }

  /// Ends or stops this process by the signal, if any. Throws `cancelled` if it continues.
  static func endProcess(by ending: Int32?) throws(Failure) {
    guard let ending else { return }
    Signals.raise(ending)
    throw Failure(.cancelled, "cancelled")
  }

  /// Reads until a newline, the end of input, the timeout or a signal, which is returned.
  static func read(
    _ terminal: borrowing FileDescriptor, _ signals: borrowing Signals.SignalReceiver, _ line: inout [UInt8],
    within timeout: Duration? = nil
  ) throws(SystemError) -> Int32? {
    let deadline = timeout.map { Instant.now.advanced(by: $0) }
    let poller = try Poller()
    try poller.add(terminal.raw, interest: .read, key: 0)
    try poller.add(signals.raw, interest: .read, key: 1)
    while true {
      let left = deadline.map { Instant.now.duration(to: $0) }
      if let left, left <= .zero { return nil }
      let milliseconds = left.map {
        1 + $0.components.seconds * 1000 + $0.components.attoseconds / 1_000_000_000_000_000
      }
      let events = try poller.wait(timeoutMilliseconds: Int32(clamping: milliseconds ?? -1))
      if let signal = signals.next() { return signal }
      guard events.contains(where: { $0.key == 0 }) else { continue }
      let count = try Terminal.readTyped(on: terminal, into: &line)
      if count == 0 || line.last == UInt8(ascii: "\n") || line.count >= Terminal.maximumLineBytes { return nil }
    }
  }
}

/// Asks questions on the terminal, regardless of redirections.
enum Confirmation {
  /// In characters.
  private static let maximumQuestionLength = 4096

  private static let maximumAttempts = 3

  /// Asks for `yes` or `no`, in English or the user's language. An empty line returns `standard`. Nil without a
  /// terminal or after the timeout. False after ``maximumAttempts`` other answers, or at the end of input without a
  /// timeout.
  static func ask(
    _ question: Phrase, orElse standard: Bool = false, within timeout: Duration? = nil
  ) throws(Failure) -> Bool? {
    let deadline = timeout.map { Instant.now.advanced(by: $0) }
    for _ in 0..<maximumAttempts {
      let left = deadline.map { Instant.now.duration(to: $0) }
      guard let line = try read(text(of: question, orElse: standard), within: left) else { return nil }
      guard line.utf8.last == UInt8(ascii: "\n") else {
        Console.printToStandardError("\n")
        return timeout == nil ? false : nil
      }
      if line.allSatisfy(\.isWhitespace) { return standard }
      if isYes(line) { return true }
      if isNo(line) { return false }
    }
    return false
  }

  /// The question with `[y/N]` or `[Y/n]`.
  static func text(of question: Phrase, orElse standard: Bool = false) -> String {
    let choice = standard ? Phrase("[Y/n]") : Phrase("[y/N]")
    return "\(question.localized(limit: maximumQuestionLength, keepsLines: true)) \(choice.localized()) "
  }

  static func isYes(_ line: String) -> Bool { isOne(line, of: Phrase("y yes")) }

  private static func isNo(_ line: String) -> Bool { isOne(line, of: Phrase("n no")) }

  private static func isOne(_ line: String, of words: Phrase) -> Bool {
    let answer = line.filter { !$0.isWhitespace }.lowercased()
    return "\(words.english) \(words.localized())".split(separator: " ").contains { $0 == answer }
  }

  /// Asks until the line is not blank, or returns `standard`, if any. Trims blanks. Nil without a terminal or at the
  /// end of input.
  static func askForLine(_ question: Phrase, orElse standard: String? = nil) throws(Failure) -> String? {
    while let line = try read("\(question.localized()): "), line.utf8.last == UInt8(ascii: "\n") {
      let text = line.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
      if !text.isEmpty { return String(text) }
      if let standard { return standard }
    }
    return nil
  }

  /// Nil without a terminal.
  private static func read(_ question: String, within timeout: Duration? = nil) throws(Failure) -> String? {
    guard let terminal = try? Terminal.openControlling() else { return nil }
    var line: [UInt8] = []
    let ending: Int32?
    do {
      try terminal.writeAll(Array(question.utf8).span)
      let signals = try SecretPrompt.blockTerminationSignals()
      defer { Signals.unblockAll() }
      ending = try SecretPrompt.read(terminal, signals, &line, within: timeout)
    } catch {
      throw Failure(error, doing: "cannot read from the terminal")
    }
    try SecretPrompt.endProcess(by: ending)
    return String(decoding: line, as: UTF8.self)
  }
}
