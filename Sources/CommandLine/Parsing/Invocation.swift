internal import Platform
internal import Wire

/// A command line, read.
struct Invocation: Sendable {
  /// The value of one occurrence of an option, already checked against the table.
  enum Value: Sendable, Hashable {
    case present
    case text(String)
    case seconds(Int)
  }

  /// The command; nil when the line names none, which only `--help` and `--version` allow.
  var command: Command?

  /// The words that named the command or its group.
  var commandWords: [String] = []
  var values: [(name: OptionName, value: Value)] = []
  var operands: [String] = []

  /// What stood after `--`; nil without it.
  var trailing: [String]?

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
  func namedAccount() throws(Failure) -> String? {
    let option = text(.account)
    if let operand = operands.first, let option, !operand.utf8.elementsEqual(option.utf8) {
      throw Failure(.invalidRequest, "two accounts are named: \"\(operand)\" and \"\(option)\"")
    }
    guard let account = operands.first ?? option else { return nil }
    guard !account.isEmpty else { throw Failure(.invalidRequest, "the account's name is empty") }
    return account
  }

  /// The account to act on: as ``namedAccount()``, else `AGENT_ACCOUNT`; nil means the active one.
  func account() throws(Failure) -> String? {
    if let named = try namedAccount() { return named }
    guard let inherited = Environment.value("AGENT_ACCOUNT"), !inherited.isEmpty else { return nil }
    return inherited
  }
}
