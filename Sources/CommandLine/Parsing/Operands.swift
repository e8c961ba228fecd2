struct Operands: Sendable {
  /// Nil without operands.
  let metavar: String?
  let count: ClosedRange<Int>
  let candidates: Candidates
  /// Whether operands may begin with a hyphen, like `ssh` options.
  let includesOptions: Bool

  /// Suggested methods; others are allowed.
  static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  private init(
    _ metavar: String?, _ count: ClosedRange<Int>, _ candidates: Candidates = .text, includesOptions: Bool = false
  ) {
    (self.metavar, self.count, self.candidates) = (metavar, count, candidates)
    self.includesOptions = includesOptions
  }

  static let none = Operands(nil, 0...0)
  /// Default: the active account.
  static let account = Operands("ACCOUNT", 0...1, .accounts)
  /// Default: the active account.
  static let accountOrService = Operands("ACCOUNT", 0...1, .accountsAndServices)
  static let namedAccount = Operands("ACCOUNT", 1...1, .accounts)
  static let newAccount = Operands("NAME", 1...1)
  static let rename = Operands("ACCOUNT NAME", 2...2, .accounts)
  static let methodAndURL = Operands("[METHOD] URL", 1...2, .words(methods))
  static let url = Operands("URL", 1...1)
  /// Up to two words.
  static let command = Operands("COMMAND", 0...2, .commands)
  static let completionShell = Operands("SHELL", 1...1, .words(CompletionShell.allCases.map(\.rawValue)))
  /// Omitted or `-`: standard input.
  static let file = Operands("FILE", 0...1, .files)
  static let slot = Operands("NUMBER", 1...1)
  /// All three are optional.
  static let tokenFile = Operands("ACTION ACCOUNT [PATH]", 0...3, .words(TokenFileAction.allCases.map(\.rawValue)))
  static let completedWords = Operands("[WORD]...", 1...4096)
  static let helperCall = Operands("PROTOCOL [WORD]...", 1...16, .words(HelperProtocolName.allCases.map(\.rawValue)))
  static let sshArguments = Operands("DESTINATION [ARGUMENT]...", 1...256, includesOptions: true)
  static let setupProgram = Operands("CLIENT", 0...1, .words(SetupClient.names))

  var minimumCount: Int { count.lowerBound }

  var maximumCount: Int { count.upperBound }
}

/// Completions that a shell offers.
enum Candidates: Hashable, Sendable {
  /// Offers nothing.
  case text
  case accounts
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
