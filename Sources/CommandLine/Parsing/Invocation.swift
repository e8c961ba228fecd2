internal import Encoding
internal import Platform
internal import Wire

/// A parsed command line. Records which options are read, so that none is silently ignored.
final class Invocation {
  /// `text` is empty for a switch, otherwise already validated.
  typealias Occurrence = (option: OptionDeclaration, text: String)

  let commands: CommandTable

  /// Nil only with `--help` or `--version`.
  let command: Command?

  let commandWords: [String]
  /// In order.
  let given: [Occurrence]
  let operands: [String]

  /// The words after `--`, if given.
  let trailingArguments: [String]?

  private var unreadOptions: [OptionDeclaration]

  /// From `AGENT_ACCOUNT`, if used.
  private var inheritedAccount: String?

  init(
    _ commands: CommandTable, command: Command?, commandWords: [String], given: [Occurrence], operands: [String],
    trailingArguments: [String]?
  ) {
    self.commands = commands
    self.command = command
    self.commandWords = commandWords
    self.given = given
    self.operands = operands
    self.trailingArguments = trailingArguments
    // Every command accepts the common options, unless it refuses them.
    unreadOptions = given.map(\.option).filter { $0.group != .common }
  }

  /// The option's value. Marks the option as read.
  subscript<Value>(_ option: Option<Value>) -> Value {
    _ = has(option)
    return option.value(of: arguments(of: option.declaration))
  }

  /// Marks the option as read.
  func has(_ option: OptionDeclaration) -> Bool {
    assert(command?.option { $0.name == option.name } != nil || command == nil, "\(option.name) is not declared")
    unreadOptions.removeAll { $0.name == option.name }
    return !arguments(of: option).isEmpty
  }

  func has<Value>(_ option: Option<Value>) -> Bool { has(option.declaration) }

  /// Does not mark the option as read.
  func arguments(of option: OptionDeclaration) -> [String] {
    given.filter { $0.option.name == option.name }.map(\.text)
  }

  /// Whether `--all` accompanies `--help`.
  var asksForEverything: Bool { !arguments(of: Option.everything.declaration).isEmpty }

  /// The failure for options that exclude each other, with a hint for each.
  func conflict(_ option: OptionDeclaration, _ other: OptionDeclaration) -> Failure {
    Failure(
      .invalidRequest, "use only one of --\(option.name) and --\(other.name)",
      hint: .choices([other, option].map { HintCommand(self, operands: operands, without: [$0]).text }))
  }

  /// Throws for an option that the command has not read. Call it before acting.
  func refuseUnread() throws(Failure) {
    let refused = command?.refusedOptions() ?? []
    guard let option = unreadOptions.first ?? refused.first(where: { !arguments(of: $0).isEmpty }) else { return }
    let words = commandWords.joined(separator: " ")
    throw Failure(.invalidRequest, "\"--\(option.name)\" has no effect here", hint: "agent help \(words)")
  }

  // MARK: - Accounts

  /// The account in an operand or `--account`. Throws if they differ or are empty.
  func namedAccount(operand: String?) throws(Failure) -> String? {
    let option = self[.account]
    if let operand, let option, !operand.hasSameBytes(as: option) {
      throw Failure(
        .invalidRequest, "two accounts given: \"\(operand)\" and \"\(option)\"",
        hint: .choices(
          [operand, option].map { account in
            let operands = operands.map { $0.hasSameBytes(as: operand) ? account : $0 }
            return HintCommand(self, operands: operands, without: [Option.account.declaration]).text
          }))
    }
    guard let account = operand ?? option else { return nil }
    guard !account.isEmpty else { throw Failure(.invalidRequest, "the account name is empty", hint: "agent list") }
    return account
  }

  func namedAccount() throws(Failure) -> String? { try namedAccount(operand: operands.first) }

  /// Like ``namedAccount()``, but fails without an account.
  func requiredAccount() throws(Failure) -> String {
    guard let account = try namedAccount() else { throw Failure(.invalidRequest, "no account given") }
    return account
  }

  /// From the first operand, `--account` or `AGENT_ACCOUNT`; nil for the directory's or the active account.
  func account() throws(Failure) -> String? { try account(operand: operands.first) }

  /// Like ``account()``, for another operand.
  func account(operand: String?) throws(Failure) -> String? {
    if let named = try namedAccount(operand: operand) { return named }
    inheritedAccount = Self.accountOfEnvironment
    return inheritedAccount
  }

  static let accountVariable = "AGENT_ACCOUNT"
  /// Nil if empty.
  static var accountOfEnvironment: String? { Environment.value(accountVariable).flatMap { $0.isEmpty ? nil : $0 } }

  /// Mentions `AGENT_ACCOUNT` in the hint if it names the missing account.
  func withAccountHint(_ failure: Failure) -> Failure {
    guard failure.code == .noAccount, let advice = failure.advice, let name = inheritedAccount,
      let subject = failure.subject, subject.hasSameBytes(as: name)
    else { return failure }
    var failure = failure
    failure.advice = Phrase("AGENT_ACCOUNT sets it in this shell; \(advice)")
    return failure
  }

  /// The method, if any, and the URL.
  func methodAndURL() throws(Failure) -> (method: String?, url: String) {
    guard let url = operands.last else { throw Failure(.invalidRequest, "no URL given") }
    let named = self[.method]
    guard operands.count > 1 else { return (named, url) }
    guard named == nil else { throw Failure(.invalidRequest, "the method is given twice") }
    let method = operands[0]
    // Common methods are in capitals, so this may be another word, such as an account.
    guard method.utf8.contains(where: { $0.isASCIILetter && $0 & 0x20 != 0 }) else { return (method, url) }
    throw Failure(
      .invalidRequest, "\(TokenShape.redacted(method)) is not a request method",
      hint: Phrase(verbatim: suggestion(for: method, url) ?? "agent help \(commandWords.joined(separator: " "))"))
  }

  /// Suggests capitals, swapped operands, or the word as `--account`; nil if none fits.
  private func suggestion(for method: String, _ url: String) -> String? {
    if Operands.methods.contains(method.uppercased()) { return withOperands([method.uppercased(), url]).text }
    if Operands.methods.contains(url.uppercased()) { return withOperands([url.uppercased(), method]).text }
    guard (try? AccountName(method)) != nil, arguments(of: Option.account.declaration).isEmpty else { return nil }
    var command = withOperands([url])
    command.add(Option.account.declaration, method)
    return command.text
  }

  private func withOperands(_ operands: [String]) -> HintCommand { HintCommand(self, operands: operands, without: []) }
}

extension Console {
  /// Applies the common options. Hints repeat the command line with their corrections.
  init(_ invocation: Invocation) {
    self.init(usesJSON: invocation[.json], isQuiet: invocation[.quiet], isVerbose: invocation[.verbose])
    mayAsk = !invocation[.noInput]
    correctedCommand = { HintCommand(repeating: invocation)?.corrected(by: $0)?.text }
  }
}
