internal import Encoding
internal import Platform
internal import Vault
internal import Vocabulary
internal import Wire

extension Failure {
  /// Describes an error of the vault for people; `name` is the account's name after a space, or empty.
  init(_ error: VaultError, name: String) {
    switch error.code {
    case .foreignDevice:
      self.init(
        .foreignDevice, Phrase(error),
        hint: "if it has a passphrase: agent vault rebind; if not, move the vault file away and sign in again")
    case .otherMachinesOnly:
      self.init(
        .otherMachine, Phrase(error),
        hint: "agent login\(name); or, if this home was moved here and its vault has a passphrase: agent vault rebind")
    case .severalVaults:
      self.init(.otherMachine, Phrase(error), hint: "move away the vault files that are not needed here")
    case .busy: self.init(.vaultBusy, Phrase(error))
    case .rolledBack:
      // The revisions that the daemon has seen end with it.
      self.init(.vaultUnusable, Phrase(error), hint: "if you restored it yourself: agent daemon stop")
    case .damaged:
      self.init(
        .vaultUnusable, error.path.map { Phrase("\(TerminalText.clean($0)): \(Phrase(error))") } ?? Phrase(error),
        hint: "put a copy of it back; or move it away, and sign in again")
    case .unsupportedVersion, .unknownSlot, .deviceSecretMissing, .cryptoFailure, .tooManyAccounts:
      self.init(.vaultUnusable, Phrase(error))
    case .secureHeapFull: self.init(.tooBusy, Phrase(error))
    case .storage, .noSpace, .overQuota, .badPermissions: self.init(refused: error)
    case .locked(let level):
      self.init(
        .locked, name.isEmpty || level == .device ? Phrase(error) : Self.locked(name, level),
        hint: .command("agent unlock\(name)"))
    case .wrongPassphrase: self.init(.wrongPassphrase, Phrase(error), hint: Self.forgotten)
    case .wrongPIN: self.init(.wrongPIN, Phrase(error), hint: Self.forgotten)
    case .tpmLockedOut: self.init(.tpmLockedOut, Phrase(error), hint: "try again later")
    case .tpmUnavailable:
      self.init(
        .tpmUnavailable, Phrase(error), hint: "agent vault status; if the vault has a passphrase: agent vault rebind")
    case .nothingToUnlock:
      self.init(.noSuchSlot, Phrase(error), hint: "agent help --all unlock")
    case .alreadyProtected(let level): self.init(.invalidRequest, Phrase(error), hint: Self.already(level))
    case .lastSlot:
      self.init(.lastSlot, Phrase(error), hint: "add another one first: agent vault add-passphrase")
    case .noSuchSlot, .tooManySlots: self.init(.noSuchSlot, Phrase(error), hint: "agent vault status")
    case .secretNeeded: self.init(.locked, Phrase(error), hint: "agent vault rotate-key")
    case .unusableSecret: self.init(.invalidConfiguration, Phrase(error))
    }
  }

  /// Describes an error of the operating system, with the path.
  private init(refused error: VaultError) {
    guard let path = error.path.map({ TerminalText.clean($0) }) else {
      self.init(.storage, Phrase(error))
      return
    }
    if error.code == .badPermissions {
      guard let problem = error.path.flatMap(FileProblem.of) else {
        self.init(.storage, "\(path): permission denied")
        return
      }
      let hint = DirectoryError.untrusted(problem, path: path).remedy
      self.init(.storage, Phrase(problem, of: path), hint: hint.map { Phrase(verbatim: $0) })
      return
    }
    var hint: Phrase?
    if case .storage(let cause) = error.code {
      if cause.isWithoutLocks { hint = Phrase("set XDG_STATE_HOME to a directory of a file system with locks") }
      if cause.isInUse { hint = Phrase("mount the directory, not the file: a new file takes its place at each write") }
    }
    self.init(.storage, "\(path): \(Phrase(error))", hint: hint)
  }

  private static let forgotten = Phrase("if it is forgotten: agent help --all unlock")

  private static func locked(_ name: String, _ level: Protection) -> Phrase {
    level == .tpm2
      ? Phrase("the session of\(name) is locked by a PIN") : Phrase("the session of\(name) is locked by a passphrase")
  }

  private static func already(_ level: Protection) -> Phrase {
    Phrase(
      verbatim: level == .device ? "agent vault bind" : "agent vault change-passphrase --protection \(level.rawValue)")
  }
}
