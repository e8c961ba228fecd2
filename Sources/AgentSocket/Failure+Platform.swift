package import Platform
package import Wire

extension Failure {
  /// A directory that cannot hold private files.
  package init(_ error: DirectoryError) {
    switch error {
    case .system(let error, let path):
      self.init(.storage, Phrase("\(path) cannot be used: \(Phrase(stringLiteral: error.message))"))
    case .notOwned(let path): self.init(.storage, "\(path) belongs to another user")
    case .notADirectory(let path): self.init(.storage, "\(path) is not a directory")
    case .tooOpen(let path, _):
      self.init(
        .storage, "\(path) may be used by other users",
        hint: error.remedy.map { Phrase(verbatim: $0) } ?? Phrase("use a directory of your own"))
    case .untrusted(let problem, let path):
      let title = Phrase(stringLiteral: problem.title)
      self.init(
        .storage, problem.mode.map { Phrase("\(path) \(title) (mode \($0))") } ?? Phrase("\(path) \(title)"),
        hint: error.remedy.map { Phrase(verbatim: $0) })
    }
  }

  /// A system call that failed while something was attempted.
  package init(_ error: SystemError, doing attempt: Phrase) {
    self.init(.storage, Phrase("\(attempt): \(Phrase(stringLiteral: error.message))"))
  }
}
