internal import Platform
internal import Wire

/// A command line, read. A class, since it is handed from function to function.
final class Invocation: Sendable {
  /// The value of one occurrence of an option, already checked against the table.
  enum Value: Sendable, Hashable {
    case present
    case text(String)
    case seconds(Int)
  }

  /// The command; nil when the line names none, which only `--help` and `--version` allow.
  let command: Command?

  /// The words that named the command or its group.
  let commandWords: [String]
  let values: [(name: OptionName, value: Value)]
  let operands: [String]

  /// What stood after `--`; nil without it.
  let trailing: [String]?

  init(
    command: Command?, commandWords: [String], values: [(name: OptionName, value: Value)], operands: [String],
    trailing: [String]?
  ) {
    self.command = command
    self.commandWords = commandWords
    self.values = values
    self.operands = operands
    self.trailing = trailing
  }

  /// Whether the option was given.
  func has(_ name: OptionName) -> Bool { values.contains { $0.name == name } }

  /// The last value given to an option.
  func text(_ name: OptionName) -> String? {
    guard case .text(let text) = values.last(where: { $0.name == name })?.value else { return nil }
    return text
  }

  /// The last length of time given to an option, in seconds.
  func seconds(_ name: OptionName) -> Int? {
    guard case .seconds(let seconds) = values.last(where: { $0.name == name })?.value else { return nil }
    return seconds
  }

  /// All values of an option, in order.
  func texts(_ name: OptionName) -> [String] {
    values.compactMap { entry in
      guard entry.name == name, case .text(let text) = entry.value else { return nil }
      return text
    }
  }
}

extension Invocation {
  /// The account that the command line names: the operand, or `--account`.
  ///
  /// - Throws: `invalid_request` when both name different ones, or when the name is empty, as it is
  ///   when a script's variable was never set.
  ///
  /// - Parameter operand: What stands for the account among the operands, if anything.
  func namedAccount(operand: String?) throws(Failure) -> String? {
    let option = text(.account)
    if let operand, let option, !operand.utf8.elementsEqual(option.utf8) {
      throw Failure(.invalidRequest, "two accounts are named: \"\(operand)\" and \"\(option)\"")
    }
    guard let account = operand ?? option else { return nil }
    guard !account.isEmpty else { throw Failure(.invalidRequest, "the account's name is empty") }
    return account
  }

  /// As ``namedAccount(operand:)`` with the first operand.
  func namedAccount() throws(Failure) -> String? { try namedAccount(operand: operands.first) }

  /// The account to act on: as ``namedAccount()``, else `AGENT_ACCOUNT`; nil means the active one.
  func account() throws(Failure) -> String? { try account(operand: operands.first) }

  /// The same with another operand than the first.
  func account(operand: String?) throws(Failure) -> String? {
    if let named = try namedAccount(operand: operand) { return named }
    guard let inherited = Environment.value("AGENT_ACCOUNT"), !inherited.isEmpty else { return nil }
    return inherited
  }
}
