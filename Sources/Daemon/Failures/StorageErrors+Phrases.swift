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

  /// The problem of a file or directory at a path.
  init(_ problem: FileProblem, of path: String) {
    self.init(
      template: problem.sentence(about: "%1$s", mode: "%2$s"),
      values: [TerminalText.clean(path), problem.mode].compactMap { $0 }.map { .text($0) })
  }

  /// The problem of a directory.
  init(_ error: DirectoryError) {
    switch error {
    case .system(let error, let path):
      self = "\(TerminalText.clean(path)): \(Phrase(stringLiteral: error.message))"
    case .untrusted(let problem, let path): self.init(problem, of: path)
    }
  }
}
