/// What may stand at a place of a command line, as far as a shell can offer it.
enum Candidates: Hashable, Sendable {
  /// Anything; nothing is offered.
  case text
  /// The names of the accounts, which only the daemon knows.
  case accounts
  case files
  case words([String])
  /// The words of a command of this program.
  case commands
}

extension Option {
  /// What its value may be; nil when it takes none.
  var candidates: Candidates? {
    if name == .account { return .accounts }
    switch value {
    case .none: return nil
    case .text, .duration: return .text
    case .durationOrNever: return .words(["never"])
    case .file: return .files
    case .choice(_, let words): return .words(words)
    }
  }

  /// The spellings of the option: `-a` and `--account`.
  var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name.rawValue)"] }
}

extension Operands {
  /// What an operand may be.
  var candidates: Candidates {
    switch self {
    case .none, .newAccount, .candidateKind, .slot: .text
    case .account, .namedAccount, .rename: .accounts
    case .methodAndURL: .words(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    case .command: .commands
    case .file: .files
    case .completionShell: .words(CompletionShell.allCases.map(\.rawValue))
    }
  }
}

extension CommandTable {
  /// The first words that have a second one: `daemon`.
  static var groups: [String] { firstWords.filter { !members(ofGroup: $0).isEmpty } }

  /// The commands and groups that a first word may name, each with what it does.
  static var firstWordSummaries: [(word: String, summary: String)] {
    firstWords.map { word in
      if let command = command(named: word) { return (word, command.summary) }
      return (word, members(ofGroup: word).joined(separator: ", "))
    }
  }

  /// The same of the second words of a group.
  static func memberSummaries(ofGroup group: String) -> [(word: String, summary: String)] {
    members(ofGroup: group).map { ($0, command(named: "\(group) \($0)")?.summary ?? "") }
  }
}
