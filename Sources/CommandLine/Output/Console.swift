internal import Encoding
internal import Platform
internal import Wire

/// Prints all output, by these rules:
///
/// 1. Standard output contains only the answer, written at once when complete. On failure it is empty, and the exit
///   status is not 0. Exceptions: a failed `env` prints a statement that sets the status, `login --json` events,
///   `request` a response's body as it arrives, and `verify` a verdict per token.
/// 2. A write error on standard output fails the command. If the reader has exited, as `head` does, the command prints
///   nothing and keeps its status.
/// 3. Messages for users go to standard error, in lower case without a full stop: `agent: error: what happened` and
///   perhaps `agent: hint: the command that helps`. `--verbose` also prints each step, without secrets.
/// 4. With `--json` a failure is `{"error":{"code","message","hint"}}` on standard error.
/// 5. `TerminalText` cleans foreign text. Messages for users are in their ``Language``; output for programs is never
///   translated.
/// 6. Colour is used only on a terminal without `NO_COLOR` (``OutputTerminal``).
/// 7. Tokens are bytes (``SecretText``), never a `String`, and are overwritten after use.
struct Console {
  var usesJSON: Bool

  /// Whether to print only answers and failures.
  var isQuiet: Bool

  var isVerbose = false

  var mayAsk = true

  /// Returns a hint's corrected command line, if the correction applies.
  var correctedCommand: (Correction) -> String? = { _ in nil }

  /// For connecting to the daemon.
  var timeoutSeconds = WireProtocol.defaultTimeoutSeconds
}

extension Console {
  static var silent: Console { Console(usesJSON: false, isQuiet: true) }

  /// In characters.
  private static let messageLimit = 400

  /// In characters, enough for a command with two URLs.
  private static let hintLimit = 6000

  // MARK: Answers

  /// Writes a result to standard output.
  static func answer(_ bytes: Span<UInt8>) throws(Failure) {
    do {
      try Output.write(bytes, to: .standardOutput)
    } catch {
      throw unwritable(error)
    }
  }

  static func unwritable(_ error: SystemError) -> Failure {
    var failure = Failure(
      .storage, Phrase("cannot write the answer to standard output: \(Phrase(known: error.message))"))
    failure.isSilent = error.isDisconnected
    return failure
  }

  static func answer(_ text: String) throws(Failure) {
    try answer(Array(text.utf8).span)
  }

  static func answer(_ object: JSONObject) throws(Failure) {
    try answer((JSON.object(object.withoutTranslations).serialized() + [UInt8(ascii: "\n")]).span)
  }

  /// Writes text, or JSON with `--json`.
  func answer(_ result: JSONObject, showing text: (JSONObject) -> String) throws(Failure) {
    try usesJSON ? Self.answer(result) : Self.answer(text(result))
  }

  /// Prints a message, or the result as JSON with `--json`.
  func confirm(_ result: JSONObject, _ message: (JSONObject) -> Phrase) throws(Failure) {
    if usesJSON { try Self.answer(result) } else { note(message(result)) }
  }

  // MARK: For people

  func note(_ message: Phrase) {
    guard !isQuiet else { return }
    Self.printToStandardError("\(ProgramName.current.text): \(message.localized(limit: Self.messageLimit))\n")
  }

  /// Prints untranslated text.
  @_disfavoredOverload
  func note(_ message: String) { note(Phrase(verbatim: message)) }

  /// Prints a step with `--verbose`.
  func detail(_ message: @autoclosure () -> String) {
    if isVerbose { note(message()) }
  }

  func detail(_ entry: LogLine?) {
    if let entry { detail(entry.sentence) }
  }

  /// Prints the daemon's messages and steps only.
  func report(_ event: Event) {
    switch event {
    case .notice(let message): note(message)
    case .progress(let entry): detail(entry)
    case .following: detail("following what happens")
    default: break
    }
  }

  /// Ignores errors.
  static func printToStandardError(_ text: String) {
    try? Output.write(text, to: .standardError)
  }

  /// Replaces the hint's correction by the corrected command line.
  func completingHint(of failure: Failure) -> Failure {
    var failure = failure
    failure.advice = failure.advice?.correcting(correctedCommand)
    return failure
  }

  func report(_ failure: Failure) {
    Self.printToStandardError(text(of: failure, coloured: !usesJSON && Self.mayColour))
  }

  func text(of failure: Failure, coloured: Bool) -> String {
    let failure = completingHint(of: failure)
    if usesJSON {
      let object = JSON.object(JSONObject([("error", failure.json.withoutTranslations)]))
      return String(decoding: object.serialized(), as: UTF8.self) + "\n"
    }
    let message = failure.text.localized(limit: Self.messageLimit)
    let program = ProgramName.current
    let title = Phrase("error:").localized()
    var text = "\(program.text): \(Self.styled(title, as: "1;31", coloured)) \(message)\n"
    if let hint = failure.advice {
      let hint = program.renaming(hint: hint.localized(limit: Self.hintLimit))
      let title = Phrase("hint:").localized()
      text += "\(program.text): \(Self.styled(title, as: "1", coloured)) \(hint)\n"
    }
    return text
  }

  /// A failure on one line, with the hint in parentheses.
  func line(of failure: Failure) -> String {
    if usesJSON { return String(text(of: failure, coloured: false).dropLast()) }
    let failure = completingHint(of: failure)
    let program = ProgramName.current
    let hint = failure.advice.map { " (\(program.renaming(hint: $0.localized(limit: Self.hintLimit))))" } ?? ""
    let message = failure.text.localized(limit: Self.messageLimit)
    return "\(program.text): \(Phrase("error:").localized()) \(message)\(hint)"
  }

  /// Like ``line(of:)``, but adds a command as hint if the failure has none.
  func line(of failure: Failure, in command: CommandName) -> String {
    var failure = failure
    if failure.advice == nil {
      let isUsage = failure.code.exitStatus == .usage
      failure.advice = Phrase(verbatim: isUsage ? "agent help \(command)" : "agent doctor")
    }
    return line(of: failure)
  }

  static var mayColour: Bool { OutputTerminal.current?.hasStyles ?? false }

  /// Applies a style such as `1;31` by escape sequences.
  static func styled(_ text: String, as style: String, _ coloured: Bool) -> String {
    coloured ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
  }
}
