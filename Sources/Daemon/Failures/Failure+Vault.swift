internal import Encoding
internal import Platform
internal import Vault
internal import Wire

extension Failure {
  /// Describes a vault error for users.
  ///
  /// - Parameter account: The account whose session was requested.
  init(_ error: VaultError, account: String?) {
    let row = error.row(account)
    self.init(row.failure, row.sentence, hint: row.hint)
    guard let path = error.path, error.isAboutFile else { return }
    let shown = TerminalText.clean(path)
    guard error.code == .badPermissions else {
      text = Phrase("\(shown): \(text)")
      return
    }
    let problem = FileProblem.of(path, mustBeFile: !error.isAboutDirectory)
    text = problem.map { Phrase($0, of: shown) } ?? Phrase("\(shown): \(text)")
    advice = Self.remedy(problem, of: path) ?? advice
  }

  /// The command that repairs access to a vault file. Nil if it cannot be shown on a terminal.
  private static func remedy(_ problem: FileProblem?, of path: String) -> Phrase? {
    guard TerminalText.clean(path).hasSameBytes(as: path) else { return nil }
    let quoted = "'\(path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    return switch problem {
    case .tooOpen?, .writable?:
      problem.flatMap { DirectoryError.untrusted($0, path: path).remedy }.map { Phrase(verbatim: $0) }
    case .notOwned?: Phrase(verbatim: "sudo chown \(Machine.userID) \(quoted)")
    case .symbolicLink?, .dangling?: Phrase("replace the link with the file itself")
    case .special?, .notRegular?, .notDirectory?: Phrase("replace it with the right file")
    case .onDisk?: nil
    case nil: FileAccess(of: path) == .missing ? nil : Phrase(verbatim: "chmod u+rwX \(quoted)")
    }
  }
}
