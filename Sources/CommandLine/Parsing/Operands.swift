enum Operands: Sendable {
  case none
  /// An account (default: the active one).
  case account
  /// An account or service to sign in to (default: the active account).
  case accountOrService
  case namedAccount
  case newAccount
  /// An account, and its new name.
  case rename
  /// A URL, optionally after a method.
  case methodAndURL
  case url
  case command
  case completionShell
  /// A file, or standard input if omitted or `-`.
  case file
  /// The number of a key slot.
  case slot
  /// An action, an account and a token file's path, all optional.
  case tokenFile
  /// The words of the command line to complete.
  case completedWords
  /// A helper protocol and the caller's arguments.
  case helperCall
  case sshArguments
  /// A program to set up, or none.
  case setupProgram

  /// Suggested methods. Any other is allowed too.
  static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

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
    // A command has one or two words.
    case .command: ("COMMAND", 0...2, .commands)
    case .completionShell: ("SHELL", 1...1, .words(CompletionShell.allCases.map(\.rawValue)))
    case .file: ("FILE", 0...1, .files)
    case .slot: ("NUMBER", 1...1, .text)
    case .helperCall: ("PROTOCOL [WORD]...", 1...16, .words(HelperName.allCases.map(\.rawValue)))
    case .sshArguments: ("DESTINATION [ARGUMENT]...", 1...256, .text)
    case .setupProgram: ("CLIENT", 0...1, .words(SetupClient.names))
    case .tokenFile: ("ACTION ACCOUNT [PATH]", 0...3, .words(TokenFileAction.allCases.map(\.rawValue)))
    case .completedWords: ("[WORD]...", 1...4096, .text)
    }
  }

  var metavar: String? { shape.metavar }

  var required: Int { shape.count.lowerBound }

  var limit: Int { shape.count.upperBound }

  var candidates: Candidates { shape.candidates }

  /// Whether words with hyphens are operands too.
  var includesOptions: Bool { if case .sshArguments = self { true } else { false } }
}

/// The words that a shell offers as completions.
enum Candidates: Hashable, Sendable {
  /// Any text. Nothing is offered.
  case text
  /// Account names from `agent __complete`.
  case accounts
  /// Account names and known services.
  case accountsAndServices
  case files
  case words([String])
  case commands
}

enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}

enum TokenFileAction: String, CaseIterable, Sendable {
  case add, remove
}
