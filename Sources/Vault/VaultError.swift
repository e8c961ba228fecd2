package import Platform

package struct VaultError: Error, Hashable, Sendable {
  package enum Code: Hashable, Sendable {
    /// The file's key belongs to another machine, user, device secret or TPM.
    case foreignDevice
    /// The directory contains only other machines' vaults.
    case otherMachinesOnly
    case damaged
    /// The file is authentic but older than one already used.
    case rolledBack
    case unsupportedVersion
    /// No key slot opened, and some are of unknown kinds.
    case unknownSlot
    case deviceSecretMissing
    /// A file or directory is inaccessible, a symbolic link, or has a wrong owner, mode or type.
    case badPermissions
    /// Another process held the lock for the entire wait.
    case busy
    /// Another call of this process held the account's lock.
    case busyInProcess
    /// Another operating system error.
    case storage(SystemError)
    case noSpace
    case overQuota
    case secureHeapFull
    case cryptoFailure
    /// The vault has the maximum number of accounts or bytes.
    case tooManyAccounts
    /// The level's key is not in memory. For ``Protection/device``, only a passphrase opens the vault.
    case locked(Protection)
    case wrongPassphrase
    case wrongPIN
    /// The TPM temporarily rejects all PINs after too many wrong ones.
    case tpmLockedOut
    case tpmUnavailable(TPMProblem)
    /// No slot opens with a passphrase or PIN.
    case nothingToUnlock
    case alreadyProtected(Protection)
    /// The slot to remove is the only one for its key.
    case lastSlot(Protection)
    case noSuchSlot
    /// The vault has 16 slots, or has used up all slot numbers.
    case tooManySlots
    case secretNeeded(slot: Int)
    /// The passphrase or PIN is empty or longer than 1,024 bytes.
    case unusableSecret
    /// Several other machines have vaults here, but not this one.
    case severalVaults
    /// A vault without problems cannot be set aside.
    case vaultOpens
    case noVault
  }

  package var code: Code
  /// The file or directory; nil until the caller adds it.
  package var path: String?
  package var isAboutDirectory = false
  /// Whether a passphrase can rebind the vault if nothing else opens it.
  package var opensByPassphrase = false

  package init(_ code: Code, path: String? = nil) {
    self.code = code
    self.path = path
  }

  package static func == (one: VaultError, other: VaultError) -> Bool {
    one.code == other.code && one.path == other.path
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(path)
  }

  package struct Row {
    package let failure: FailureCode
    /// For users, in lowercase, without path or full stop.
    package let sentence: Phrase
    package let hint: Phrase?

    fileprivate init(_ failure: FailureCode, _ sentence: Phrase, hint: Phrase? = nil) {
      (self.failure, self.sentence, self.hint) = (failure, sentence, hint)
    }
  }

  /// The failure code, message and hint for users. `account` is the name in suggested commands.
  package func row(_ account: String? = nil) -> Row {
    let name = account.map { " \($0)" } ?? ""
    return switch code {
    case .foreignDevice:
      Row(
        .foreignDevice, "the vault was created on another machine, or its device secret or TPM was replaced",
        hint: recovery)
    case .otherMachinesOnly:
      Row(
        .otherMachine, "this directory contains only vaults of other machines",
        hint: "agent login\(name); or, if this home was moved here and its vault has a passphrase: agent vault rebind")
    case .damaged:
      Row(.vaultUnusable, "the file is damaged", hint: recovery)
    // A stopped daemon forgets the newer revision that it has seen.
    case .rolledBack:
      Row(
        .vaultUnusable, "the vault is older than the last one used; an old copy was restored",
        hint: "if you restored it yourself: agent daemon stop")
    case .unsupportedVersion:
      Row(.vaultUnusable, "the vault was written by a version that this program does not know", hint: Self.updateHint)
    case .unknownSlot:
      Row(.vaultUnusable, "the vault is locked in a way that this version does not know", hint: Self.updateHint)
    case .deviceSecretMissing:
      Row(.vaultUnusable, "the device secret that opens the vault is missing", hint: recovery)
    case .badPermissions: Row(.storage, "permission denied", hint: .command("agent doctor"))
    case .busy: Row(.vaultBusy, "another process has locked the vault", hint: "try again")
    case .busyInProcess: Row(.vaultBusy, "another request is still using the account", hint: "try again")
    case .storage(let error):
      Row(.storage, "\(error.operation) failed: \(Phrase(stringLiteral: error.message))", hint: Self.remedy(for: error))
    case .noSpace:
      Row(.storage, "the disk is full", hint: "remove files that you do not need: df -h; df -i")
    case .overQuota: Row(.storage, "the disk quota is used up", hint: "remove files that you do not need")
    case .secureHeapFull: Row(.tooBusy, "out of memory for secrets", hint: .command("agent daemon restart"))
    case .cryptoFailure:
      Row(.vaultUnusable, "the cryptographic library failed", hint: .command("agent daemon restart"))
    case .tooManyAccounts:
      Row(.vaultUnusable, "the vault is full", hint: "remove accounts that you do not need; all accounts: agent list")
    case .locked(let protection): Row(.locked, Self.locked(protection, name), hint: .command("agent unlock\(name)"))
    case .wrongPassphrase:
      Row(.wrongPassphrase, "the passphrase is wrong", hint: "if you forgot it: agent help --all unlock")
    case .wrongPIN: Row(.wrongPIN, "the PIN is wrong", hint: "if you forgot it: agent help --all unlock")
    case .tpmLockedOut:
      Row(.tpmLockedOut, "the TPM refuses every PIN for some time, after too many wrong ones", hint: "try again later")
    case .tpmUnavailable(let problem):
      Row(
        .tpmUnavailable, Phrase(stringLiteral: problem.message),
        hint: "agent vault status; if the vault has a passphrase: agent vault rebind")
    case .nothingToUnlock:
      Row(.noSuchSlot, "nothing is locked by a passphrase or a PIN", hint: "agent help --all unlock")
    case .alreadyProtected(.device):
      Row(.invalidRequest, "this device already opens the vault", hint: .command("agent vault bind"))
    case .alreadyProtected(.passphrase):
      Row(
        .invalidRequest, "the vault already has a passphrase",
        hint: .command("agent vault change-passphrase --protection passphrase"))
    case .alreadyProtected(.tpm2):
      Row(
        .invalidRequest, "the vault already has a PIN",
        hint: .command("agent vault change-passphrase --protection tpm2"))
    case .lastSlot(let level):
      Row(
        .lastSlot, "no other slot opens the level \(level.rawValue)",
        hint: "add another one first: agent vault add-passphrase --protection \(level.rawValue)")
    case .noSuchSlot: Row(.noSuchSlot, "no slot has this number", hint: .command("agent vault status"))
    case .tooManySlots: Row(.noSuchSlot, "the vault cannot have another slot", hint: .command("agent vault status"))
    case .secretNeeded(let slot):
      Row(.locked, "the passphrase of slot \(slot) is needed", hint: .command("agent vault rotate-key"))
    case .unusableSecret:
      Row(.invalidConfiguration, "a passphrase or PIN must have 1 to \(VaultFormat.maximumSecretLength) bytes")
    case .severalVaults:
      Row(
        .otherMachine, "this directory contains vaults of several other machines, but none of this one",
        hint: "move away the vault files that you do not need here")
    case .vaultOpens:
      Row(.invalidRequest, "the vault can be opened, so it is not set aside", hint: .command("agent vault check"))
    case .noVault:
      Row(.invalidRequest, "this machine has no vault to set aside", hint: .command("agent vault status"))
    }
  }

  private var recovery: Phrase {
    opensByPassphrase
      ? Phrase("restore the file from a backup; or bind the vault again with its passphrase: \("agent vault rebind")")
      : Phrase("restore the file from a backup; or create a new vault: \("agent vault set-aside")")
  }

  private static let updateHint = Phrase(
    "use the version that wrote it; or create a new vault: \("agent vault set-aside")")

  private static func locked(_ protection: Protection, _ name: String) -> Phrase {
    switch protection {
    case .device: Phrase("the vault is locked; only its passphrase opens it")
    case .passphrase where name.isEmpty: Phrase("the account is locked by a passphrase")
    case .tpm2 where name.isEmpty: Phrase("the account is locked by a PIN")
    case .passphrase: Phrase("the session of\(name) is locked by a passphrase")
    case .tpm2: Phrase("the session of\(name) is locked by a PIN")
    }
  }

  private static func remedy(for error: SystemError) -> Phrase? {
    if error.isInUse { return Phrase("mount the directory, not the file, which is replaced at each write") }
    return error.lacksLocks
      ? Phrase("set XDG_STATE_HOME to a directory on a file system that supports locks") : .command("agent doctor")
  }

  package var lacksSpace: Bool { code == .noSpace || code == .overQuota }

  /// Whether the error is about ``path``, not an account or secret.
  package var isAboutFile: Bool {
    switch code {
    case .foreignDevice, .otherMachinesOnly, .damaged, .rolledBack, .unsupportedVersion, .unknownSlot,
      .deviceSecretMissing, .badPermissions, .busy, .storage, .noSpace, .overQuota, .severalVaults, .vaultOpens:
      true
    case .busyInProcess, .secureHeapFull, .cryptoFailure, .tooManyAccounts, .locked, .wrongPassphrase, .wrongPIN,
      .tpmLockedOut, .tpmUnavailable, .nothingToUnlock, .alreadyProtected, .lastSlot, .noSuchSlot, .tooManySlots,
      .secretNeeded, .unusableSecret, .noVault:
      false
    }
  }

  /// Whether the file is temporarily unreadable (such as `EIO` or `EMFILE`).
  package var isTemporarilyUnreadable: Bool {
    switch code {
    case .storage(let error): error.isOutOfDescriptors || error.isDeviceFailure
    case .secureHeapFull: true
    default: false
    }
  }
}
