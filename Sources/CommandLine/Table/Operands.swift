/// The operands of a command.
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
  /// A URL.
  case url
  /// The words of a command.
  case command
  /// A shell that there are completions for.
  case completionShell
  /// A file; without it, or for `-`, standard input.
  case file
  /// The number of a slot of the vault.
  case slot
  /// The kind of names that `agent __complete` lists.
  case candidateKind
  /// The protocol of a helper, and the words of the program that calls it.
  case helperCall
  /// A program that tokens are for; without it all are listed.
  case setupProgram

  /// The methods that are offered; any other can be sent as well.
  static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// Their name in usage lines, how many there are, and what each may be.
  private var shape: (metavar: String?, count: ClosedRange<Int>, candidates: Candidates) {
    switch self {
    case .none: (nil, 0...0, .text)
    case .account: ("ACCOUNT", 0...1, .accounts)
    case .namedAccount: ("ACCOUNT", 1...1, .accounts)
    case .newAccount: ("NAME", 1...1, .text)
    case .rename: ("ACCOUNT NAME", 2...2, .accounts)
    case .methodAndURL: ("[METHOD] URL", 1...2, .words(Self.methods))
    case .url: ("URL", 1...1, .text)
    // The name of a command is one word or two.
    case .command: ("COMMAND", 0...2, .commands)
    case .completionShell: ("SHELL", 1...1, .words(CompletionShell.allCases.map(\.rawValue)))
    case .file: ("FILE", 0...1, .files)
    case .slot: ("NUMBER", 1...1, .text)
    case .helperCall: ("PROTOCOL [WORD]...", 1...16, .words(HelperName.allCases.map(\.rawValue)))
    case .setupProgram: ("CLIENT", 0...1, .words(SetupClient.allCases.map(\.rawValue)))
    case .candidateKind: ("KIND", 1...1, .text)
    }
  }

  /// Their name in usage lines; nil when there is none.
  var metavar: String? { shape.metavar }

  /// How many operands there must be.
  var required: Int { shape.count.lowerBound }

  /// How many there may be.
  var limit: Int { shape.count.upperBound }

  /// The possible values of each.
  var candidates: Candidates { shape.candidates }
}

/// The words that a shell can offer at a place of a command line.
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

/// A shell that completes command lines by a file of ours.
enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}
