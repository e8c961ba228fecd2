/// What a command takes beside options: at most one thing.
enum Operands: Sendable {
  case none
  /// An account; without it the active one is meant.
  case account
  /// An account that must be named, or added.
  case namedAccount
  /// The words of a command.
  case command
  /// A shell that there are completions for.
  case completionShell
  /// What `agent __complete` lists.
  case candidateKind

  /// Its name in usage lines; nil when there is none.
  var metavar: String? {
    switch self {
    case .none: nil
    case .account, .namedAccount: "ACCOUNT"
    case .command: "COMMAND"
    case .completionShell: "SHELL"
    case .candidateKind: "KIND"
    }
  }

  /// How many operands there must be.
  var required: Int {
    switch self {
    case .none, .account, .command: 0
    case .namedAccount, .completionShell, .candidateKind: 1
    }
  }

  /// How many there may be: the name of a command is one word or two.
  var limit: Int {
    switch self {
    case .none: 0
    case .account, .namedAccount, .completionShell, .candidateKind: 1
    case .command: 2
    }
  }
}
