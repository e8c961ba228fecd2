package import Platform

extension Failure {
  package init(_ error: DirectoryError) {
    guard case .untrusted(let problem, let path) = error else {
      self.init(.storage, Phrase("cannot use \(Phrase(error))"))
      return
    }
    var hint = error.remedy.map { Phrase(verbatim: $0) }
    if FileSystemKind(at: path)?.ignoresModes == true {
      hint = Phrase(
        "its file system ignores file modes; set XDG_STATE_HOME and XDG_CONFIG_HOME to directories on another one")
    } else if case .tooOpen = problem {
      hint = hint ?? Phrase("use a directory of your own")
    }
    self.init(.storage, Phrase(error), hint: hint)
  }

  /// A `storage` failure. The message begins with `attempt`.
  package init(_ error: SystemError, doing attempt: Phrase) {
    self.init(.storage, Phrase("\(attempt): \(Phrase(stringLiteral: error.message))"))
  }
}
