internal import Vault
internal import Vocabulary
internal import Wire

extension Failure {
  /// Describes an error while opening the vault; `name` is the account's name after a space, or empty.
  init(opening error: VaultError, name: String) {
    switch error.code {
    case .locked(let level):
      self.init(
        .locked, name.isEmpty || level == .device ? Phrase(error) : Self.locked(name, level),
        hint: "agent unlock\(name)")
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
    case .severalVaults:
      self.init(.otherMachine, Phrase(error), hint: "move away the vault files that are not needed here")
    default: self.init(.invalidConfiguration, Phrase(error))
    }
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
