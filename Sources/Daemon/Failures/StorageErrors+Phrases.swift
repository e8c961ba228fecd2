internal import Encoding
internal import Platform
internal import Vault
internal import Wire

extension Phrase {
  /// An error of the vault, without its path.
  init(_ error: VaultError) {
    switch error.code {
    case .storage(let cause): self = "\(cause.operation) failed: \(Phrase(stringLiteral: cause.message))"
    case .secretNeeded(let slot): self = "the passphrase of slot \(slot) is needed"
    default: self.init(stringLiteral: error.message)
    }
  }

  /// The problem of a file.
  init(_ problem: FileProblem, of path: String) {
    let title = Phrase(stringLiteral: problem.title)
    self = problem.mode.map { "\(path) \(title) (mode \($0))" } ?? "\(path) \(title)"
  }

  /// The problem of a directory, and the remedy.
  init(_ error: DirectoryError) {
    switch error {
    case .system(let error, let path):
      self = "\(TerminalText.clean(path)): \(Phrase(stringLiteral: error.message))"
    case .notOwned(let path): self = "\(TerminalText.clean(path)) belongs to another user"
    case .tooOpen(let path, let mode):
      self = "\(TerminalText.clean(path)) is open to other users (mode \(String(mode, radix: 8))): chmod 700 it"
    case .notADirectory(let path): self = "\(TerminalText.clean(path)) is not a directory"
    case .untrusted(let problem, let path): self.init(problem, of: TerminalText.clean(path))
    }
  }
}
