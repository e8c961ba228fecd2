package import Platform
package import Wire

extension Failure {
  package init(_ error: DirectoryError) {
    switch error {
    case .system(let error, let path):
      self.init(.storage, Phrase("cannot use \(path): \(Phrase(stringLiteral: error.message))"))
    case .untrusted(let problem, let path):
      let sentence = Phrase(
        template: problem.sentence(about: "%1$s", mode: "%2$s"),
        values: [path, problem.mode].compactMap { $0 }.map { .text($0) })
      var hint = error.remedy.map { Phrase(verbatim: $0) }
      if FileSystemKind(at: path)?.ignoresModes == true {
        hint = Phrase(
          "its file system ignores file modes; set XDG_STATE_HOME and XDG_CONFIG_HOME to directories on another one")
      } else if case .tooOpen = problem {
        hint = hint ?? Phrase("use a directory of your own")
      }
      self.init(.storage, sentence, hint: hint)
    }
  }

  package init(_ error: SystemError, doing attempt: Phrase) {
    self.init(.storage, Phrase("\(attempt): \(Phrase(stringLiteral: error.message))"))
  }
}
