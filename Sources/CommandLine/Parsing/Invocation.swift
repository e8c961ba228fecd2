internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// A parsed command line.
///
/// It records which options the command's code has read, so that none is silently ignored.
final class Invocation {
  /// One occurrence of an option. `text` is empty for a switch; otherwise the option's argument has accepted it.
  typealias Occurrence = (option: OptionDeclaration, text: String)

  /// The commands of the program.
  let commands: CommandTable

  /// The command; nil if the line names none, which only `--help` and `--version` allow.
  let command: Command?

  /// The words that name the command or its group.
  let commandWords: [String]
  let given: [Occurrence]
  let operands: [String]

  /// The words after `--`; nil without it.
  let trailing: [String]?

  private var unread: [OptionDeclaration]

  /// The account from the environment, once read as the default.
  private var inheritedAccount: String?

  init(
    _ commands: CommandTable, command: Command?, commandWords: [String], given: [Occurrence], operands: [String],
    trailing: [String]?
  ) {
    self.commands = commands
    self.command = command
    self.commandWords = commandWords
    self.given = given
    self.operands = operands
    self.trailing = trailing
    // Every command takes the common options but those that it refuses.
    unread = given.map(\.option).filter { $0.group != .common }
  }

  /// The value of an option on this command line.
  subscript<Value>(_ option: Option<Value>) -> Value {
    _ = has(option)
    return option.value(of: texts(option.declaration))
  }

  func has(_ option: OptionDeclaration) -> Bool {
    assert(command?.option { $0.name == option.name } != nil || command == nil, "\(option.name) is not declared")
    unread.removeAll { $0.name == option.name }
    return !texts(option).isEmpty
  }

  func has<Value>(_ option: Option<Value>) -> Bool { has(option.declaration) }

  /// The argument of each occurrence of an option. Does not mark the option as read.
  func texts(_ option: OptionDeclaration) -> [String] {
    given.filter { $0.option.name == option.name }.map(\.text)
  }

  /// Whether `--all` accompanies `--help`.
  var asksForEverything: Bool { !texts(Option.everything.declaration).isEmpty }

  /// The failure if both or neither of two alternative options are given.
  static func choice(_ option: OptionDeclaration, _ other: OptionDeclaration) -> Failure {
    Failure(.invalidRequest, "use only one of --\(option.name) and --\(other.name)")
  }

  /// Refuses options that have no effect. Call it after the command's code has read its options and before it acts.
  ///
  /// - Throws: `invalid_request` that names the option.
  func refuseUnread() throws(Failure) {
    let refused = command?.refusedOptions() ?? []
    guard let option = unread.first ?? refused.first(where: { !texts($0).isEmpty }) else { return }
    let words = commandWords.joined(separator: " ")
    throw Failure(.invalidRequest, "\"--\(option.name)\" has no effect here", hint: "agent help \(words)")
  }
}

// MARK: - Accounts

extension Invocation {
  /// The account on the command line: the operand, or `--account`.
  ///
  /// - Parameter operand: The operand for the account, if any.
  /// - Throws: `invalid_request` if both name different accounts, or if the name is empty, as when a script's variable
  ///   was never set.
  func namedAccount(operand: String?) throws(Failure) -> String? {
    let option = self[.account]
    if let operand, let option, !operand.utf8.elementsEqual(option.utf8) {
      throw Failure(.invalidRequest, "two accounts given: \"\(operand)\" and \"\(option)\"")
    }
    guard let account = operand ?? option else { return nil }
    guard !account.isEmpty else { throw Failure(.invalidRequest, "the account name is empty") }
    return account
  }

  /// See ``namedAccount(operand:)``, with the first operand.
  func namedAccount() throws(Failure) -> String? { try namedAccount(operand: operands.first) }

  /// See ``namedAccount()``, but required.
  func requiredAccount() throws(Failure) -> String {
    guard let account = try namedAccount() else { throw Failure(.invalidRequest, "no account given") }
    return account
  }

  /// The account to act on: ``namedAccount()``, otherwise `AGENT_ACCOUNT`; nil for that of the directory or the active one.
  func account() throws(Failure) -> String? { try account(operand: operands.first) }

  /// See ``account()``, with another operand than the first.
  func account(operand: String?) throws(Failure) -> String? {
    if let named = try namedAccount(operand: operand) { return named }
    inheritedAccount = Self.accountOfEnvironment
    return inheritedAccount
  }

  static let accountVariable = "AGENT_ACCOUNT"
  static var accountOfEnvironment: String? { Environment.value(accountVariable).flatMap { $0.isEmpty ? nil : $0 } }

  /// The failure, with the source of the name if the account does not exist and its name is not on the command line.
  func explained(_ failure: Failure) -> Failure {
    guard failure.code == .noAccount, let advice = failure.advice, let name = inheritedAccount,
      let subject = failure.subject, subject.utf8.elementsEqual(name.utf8)
    else { return failure }
    var failure = failure
    failure.advice = Phrase("AGENT_ACCOUNT sets it in this shell; \(advice)")
    return failure
  }

  /// The method and the URL of a request; the method is nil by default.
  func methodAndURL() throws(Failure) -> (method: String?, url: String) {
    guard let url = operands.last else { throw Failure(.invalidRequest, "no URL given") }
    let named = self[.method]
    guard operands.count > 1 else { return (named, url) }
    guard named == nil else { throw Failure(.invalidRequest, "the method is given twice") }
    let method = operands[0]
    // No common method contains lower-case letters, so the user may have intended another word, such as an account.
    guard method.utf8.contains(where: { $0.isASCIILetter && $0 & 0x20 != 0 }) else { return (method, url) }
    throw Failure(
      .invalidRequest, "\(TokenShape.shown(method)) is not a request method",
      hint: Phrase(verbatim: meant(by: method, url) ?? "agent help \(commandWords.joined(separator: " "))"))
  }

  /// The likely intended command if the first operand is not a method: with the method in capitals, with the operands
  /// swapped, or with the first as the account; nil if none applies.
  private func meant(by method: String, _ url: String) -> String? {
    if Operands.methods.contains(method.uppercased()) { return repeated([method.uppercased(), url]).text }
    if Operands.methods.contains(url.uppercased()) { return repeated([url.uppercased(), method]).text }
    guard (try? AccountName(method)) != nil, texts(Option.account.declaration).isEmpty else { return nil }
    var command = repeated([url])
    command.add(Option.account.declaration, method)
    return command.text
  }

  private func repeated(_ operands: [String]) -> PastedCommand { PastedCommand(self, operands: operands, without: []) }
}
