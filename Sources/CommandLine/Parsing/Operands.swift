enum Operands: Sendable {
  case none
  /// An account (default: the active one).
  case account
  /// An account or a service to sign in to (default: the active account).
  case accountOrService
  /// An account to use or add; required.
  case namedAccount
  /// The name of an account to add.
  case newAccount
  /// An account and its new name.
  case rename
  /// A URL, optionally preceded by the method of a request.
  case methodAndURL
  case url
  case command
  /// A shell with completions.
  case completionShell
  /// A file; standard input if omitted or `-`.
  case file
  /// The number of a vault slot.
  case slot
  /// An action, an account and the path of a token file; lists all files if omitted.
  case tokenFile
  /// The kind of names that `agent __complete` lists.
  case candidateKind
  /// The protocol of a helper, and the arguments from the calling program.
  case helperCall
  /// The arguments of `ssh`, as they are.
  case sshArguments
  /// A program that uses tokens; lists all if omitted.
  case setupProgram

  /// The suggested methods; any other can be sent as well.
  static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// Their name in usage lines, their number, and the possible values of each.
  private var shape: (metavar: String?, count: ClosedRange<Int>, candidates: Candidates) {
    switch self {
    case .none: (nil, 0...0, .text)
    case .account: ("ACCOUNT", 0...1, .accounts)
    case .accountOrService: ("ACCOUNT", 0...1, .accountsAndServices)
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
    case .sshArguments: ("DESTINATION [ARGUMENT]...", 1...256, .text)
    case .setupProgram: ("CLIENT", 0...1, .words(SetupClient.names))
    case .tokenFile: ("ACTION ACCOUNT [PATH]", 0...3, .words(TokenFileAction.allCases.map(\.rawValue)))
    case .candidateKind: ("KIND", 1...1, .text)
    }
  }

  /// Their name in usage lines; nil if there are none.
  var metavar: String? { shape.metavar }

  /// The minimum number of operands.
  var required: Int { shape.count.lowerBound }

  /// The maximum number of operands.
  var limit: Int { shape.count.upperBound }

  var candidates: Candidates { shape.candidates }

  /// Whether words with hyphens are operands, too.
  var includesOptions: Bool { if case .sshArguments = self { true } else { false } }
}

/// The words that a shell can offer as completions.
enum Candidates: Hashable, Sendable {
  /// Any text; nothing is offered.
  case text
  /// The names of the accounts, which `agent __complete` prints.
  case accounts
  /// Likewise, and those of the known services.
  case accountsAndServices
  case files
  case words([String])
  /// The words of a command of this program.
  case commands
}

/// A shell with a completion file.
enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}

/// What `agent token-file` does.
enum TokenFileAction: String, CaseIterable, Sendable {
  case add, remove
}
