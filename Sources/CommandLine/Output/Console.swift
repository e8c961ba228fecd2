internal import Encoding
internal import Platform
internal import Wire

/// All output of the program. The rules:
///
/// 1. Standard output contains only the answer. It is written at once, when it is complete: if anything fails, standard
///    output stays empty and the exit status is not 0. Exceptions: `env` then prints one statement that sets the
///    status, and `login --json` prints its events as they happen. `request` writes the body of any response as it
///    arrives, and `verify` a verdict on each token.
/// 2. A write error on standard output is an error of the command. If the reader has exited, as `head` does, the
///    command ends with the same exit status and prints nothing.
/// 3. All messages for users go to standard error. A failure is `agent: error: what happened` and, if something helps,
///    `agent: hint: the command that helps`; lower case, no full stop. `--verbose` also prints each step and its
///    reason; never a secret.
/// 4. With `--json` a failure is `{"error":{"code","message","hint"}}` on standard error.
/// 5. Text from elsewhere is cleaned by `TerminalText` before it is shown. Texts for users are phrases, shown in their
///    ``Language``; output for programs is never translated.
/// 6. Colour is used only on a terminal, and not if `NO_COLOR` is set; see ``OutputTerminal``.
/// 7. Tokens are bytes, never a `String`, and are overwritten after use; see ``SecretText``.
struct Console: Sendable {
  /// Whether failures are printed as JSON.
  var json: Bool

  /// Whether only answers and failures are printed.
  var quiet: Bool

  /// Whether each step and its reason are printed.
  var verbose = false

  /// Whether questions on the terminal are permitted.
  var mayAsk = true

  /// The command line, for hints that repeat it with a change.
  var typed: PastedCommand?

  /// The maximum wait for a daemon that accepts no connection.
  var timeoutSeconds = WireProtocol.defaultTimeoutSeconds
}

extension Console {
  init(_ invocation: Invocation) {
    self.init(json: invocation[.json], quiet: invocation[.quiet], verbose: invocation[.verbose])
    mayAsk = !invocation[.noInput]
    typed = PastedCommand(repeating: invocation)
  }

  /// Prints failures only.
  static let silent = Console(json: false, quiet: true)

  /// The maximum length of a message, in characters.
  private static let messageLimit = 400

  /// A hint may be a command with two URLs.
  private static let hintLimit = 6000

  // MARK: Answers

  /// Writes the answer.
  ///
  /// - Throws: `storage` if it cannot be written.
  static func answer(_ bytes: Span<UInt8>) throws(Failure) {
    do {
      try Output.write(bytes, to: .standardOutput)
    } catch {
      throw unwritable(error)
    }
  }

  /// The failure to write an answer.
  static func unwritable(_ error: SystemError) -> Failure {
    var failure = Failure(
      .storage, Phrase("cannot write the answer to standard output: \(Phrase(known: error.message))"))
    failure.isUntold = error.isDisconnected
    return failure
  }

  /// Writes an answer without secrets.
  static func answer(_ text: String) throws(Failure) {
    try answer(Array(text.utf8).span)
  }

  /// Writes an answer as one line of JSON.
  static func answer(_ object: JSONObject) throws(Failure) {
    try answer((JSON.object(object.withoutForms).serialized() + [UInt8(ascii: "\n")]).span)
  }

  /// Writes a result: as JSON with `--json`, otherwise as text.
  func answer(_ result: JSONObject, showing text: (JSONObject) -> String) throws(Failure) {
    try json ? Self.answer(result) : Self.answer(text(result))
  }

  /// Confirms a result for users: as JSON with `--json`, otherwise with a message.
  func confirm(_ result: JSONObject, _ message: (JSONObject) -> Phrase) throws(Failure) {
    if json { try Self.answer(result) } else { note(message(result)) }
  }

  // MARK: For people

  /// Prints a message for the user that is not the answer.
  func note(_ message: Phrase) {
    guard !quiet else { return }
    Self.tell("\(ProgramName.current.text): \(message.localized(limit: Self.messageLimit))\n")
  }

  /// Prints composed text, which has no translation; a literal creates a phrase.
  @_disfavoredOverload
  func note(_ message: String) { note(Phrase(verbatim: message)) }

  /// Prints a step with `--verbose`. The message is only created then.
  func detail(_ message: @autoclosure () -> String) {
    if verbose { note(message()) }
  }

  /// Prints a step of the daemon's work with `--verbose`.
  func detail(_ entry: LogLine?) {
    if let entry { detail(entry.sentence) }
  }

  /// Prints an event that is not part of the answer.
  func tell(_ event: Event) {
    switch event {
    case .notice(let message): note(message)
    case .progress(let entry): detail(entry)
    case .following: detail("following what happens")
    default: break
    }
  }

  /// Writes finished text to standard error. Ignores errors, because there is nowhere else to report them.
  static func tell(_ text: String) {
    try? Output.write(text, to: .standardError)
  }

  /// The failure with hints that repeat the command line of this program.
  func completed(_ failure: Failure) -> Failure {
    var failure = failure
    failure.advice = failure.advice?.correcting { typed?.changed(by: $0)?.text }
    return failure
  }

  /// Prints why the command failed.
  func report(_ failure: Failure) {
    Self.tell(text(of: failure, coloured: !json && Self.mayColour))
  }

  /// The text that ``report(_:)`` writes.
  func text(of failure: Failure, coloured: Bool) -> String {
    let failure = completed(failure)
    if json {
      let object = JSON.object(JSONObject([("error", failure.json.withoutForms)]))
      return String(decoding: object.serialized(), as: UTF8.self) + "\n"
    }
    let message = failure.text.localized(limit: Self.messageLimit)
    let program = ProgramName.current
    let title = Phrase("error:").localized()
    var text = "\(program.text): \(Self.styled(title, as: "1;31", coloured)) \(message)\n"
    if let hint = failure.advice {
      let hint = program.applied(toHint: hint.localized(limit: Self.hintLimit))
      let title = Phrase("hint:").localized()
      text += "\(program.text): \(Self.styled(title, as: "1", coloured)) \(hint)\n"
    }
    return text
  }

  /// A failure as one line, for programs that show no more: the message, followed by the hint.
  func line(of failure: Failure) -> String {
    if json { return String(text(of: failure, coloured: false).dropLast()) }
    let failure = completed(failure)
    let program = ProgramName.current
    let hint = failure.advice.map { " (\(program.applied(toHint: $0.localized(limit: Self.hintLimit))))" } ?? ""
    let message = failure.text.localized(limit: Self.messageLimit)
    return "\(program.text): \(Phrase("error:").localized()) \(message)\(hint)"
  }

  /// The failure as one line that always names a command.
  func line(of failure: Failure, in command: CommandName) -> String {
    var failure = failure
    if failure.advice == nil {
      let isUsage = failure.code.exitStatus == .usage
      failure.advice = Phrase(verbatim: isUsage ? "agent help \(command)" : "agent doctor")
    }
    return line(of: failure)
  }

  /// Whether standard error is a terminal and the user wants colour.
  static var mayColour: Bool { OutputTerminal.current?.hasStyles ?? false }

  /// Encloses text in the escape sequences of a style.
  static func styled(_ text: String, as style: String, _ coloured: Bool) -> String {
    coloured ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
  }
}
