internal import Encoding
package import Platform

extension Phrase {
  /// Describes a problem with a file or directory.
  package init(_ problem: FileProblem, of path: String) {
    self.init(
      template: problem.sentence(about: "%1$s", mode: "%2$s"),
      values: [TerminalText.clean(path), problem.mode].compactMap { $0 }.map { .text($0) })
  }

  /// Describes a problem with a directory.
  package init(_ error: DirectoryError) {
    switch error {
    case .system(let error, let path):
      self = "\(TerminalText.clean(path)): \(Phrase(stringLiteral: error.message))"
    case .untrusted(let problem, let path): self.init(problem, of: path)
    }
  }
}
