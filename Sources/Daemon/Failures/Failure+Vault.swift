internal import Encoding
internal import Platform
internal import Vault
internal import Vocabulary
internal import Wire

extension Failure {
  /// Describes a vault error for users.
  ///
  /// - Parameter account: The account whose session was asked for.
  init(_ error: VaultError, account: String?) {
    let row = error.row(account)
    self.init(row.failure, row.sentence, hint: row.hint)
    guard let path = error.path, error.code == .damaged || row.failure == .storage else { return }
    let shown = TerminalText.clean(path)
    guard error.code == .badPermissions else {
      text = Phrase("\(shown): \(text)")
      return
    }
    guard let problem = FileProblem.of(path) else {
      text = Phrase("\(shown): permission denied")
      return
    }
    text = Phrase(problem, of: shown)
    advice = DirectoryError.untrusted(problem, path: shown).remedy.map { Phrase(verbatim: $0) }
  }
}
