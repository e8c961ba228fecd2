/// What a command takes beside options.
enum Operands: Sendable {
  case none
  /// An account; without it the active one is meant.
  case account
  /// An account that must be named, or added.
  case namedAccount
  /// The name of an account that is to be made.
  case newAccount
  /// An account and the name that it is to have.
  case rename
  /// A URL, and before it the method of a request.
  case methodAndURL
  /// The words of a command.
  case command
  /// A shell that there are completions for.
  case completionShell
  /// A file; without it, or for `-`, standard input.
  case file
  /// The number of a slot of the vault.
  case slot
  /// What `agent __complete` lists.
  case candidateKind

  /// Its name in usage lines; nil when there is none.
  var metavar: String? {
    switch self {
    case .none: nil
    case .account, .namedAccount: "ACCOUNT"
    case .newAccount: "NAME"
    case .rename: "ACCOUNT NAME"
    case .methodAndURL: "[METHOD] URL"
    case .command: "COMMAND"
    case .completionShell: "SHELL"
    case .file: "FILE"
    case .slot: "NUMBER"
    case .candidateKind: "KIND"
    }
  }

  /// How many operands there must be.
  var required: Int {
    switch self {
    case .none, .account, .command, .file: 0
    case .namedAccount, .newAccount, .completionShell, .candidateKind, .slot, .methodAndURL: 1
    case .rename: 2
    }
  }

  /// How many there may be: the name of a command is one word or two.
  var limit: Int {
    switch self {
    case .none: 0
    case .account, .namedAccount, .newAccount, .completionShell, .candidateKind, .slot, .file: 1
    case .rename, .command, .methodAndURL: 2
    }
  }
}
