package import Platform
package import Vocabulary

/// The reason why a call of the vault failed. Nothing on disk was overwritten.
package struct VaultError: Error, Hashable, Sendable {
  /// The kinds of failure.
  package enum Code: Hashable, Sendable {
    /// The file is whole, but the key that opens it belongs to another machine, user, device secret
    /// or TPM: the vault was copied, the device secret was replaced, or the TPM was cleared.
    case foreignDevice
    /// There are only vault files of other machines here, none of this one: a copied or shared
    /// home directory. Writing makes a vault for this machine beside them.
    case otherMachinesOnly
    /// Bytes of the file are missing, changed or too many.
    case damaged
    /// The file is authentic, but older than the one this program read or wrote before.
    case rolledBack
    /// The file was written in a format, or with an algorithm, that this program does not know.
    case unsupportedVersion
    /// None of the key slots opened, and some are of kinds that this program does not know.
    case unknownSlot
    /// There is a vault for this machine, but its device secret is missing.
    case deviceSecretMissing
    /// A file or directory has the wrong owner, mode or type, is a symbolic link, or may not be
    /// used.
    case badPermissions
    /// Another process or thread kept the lock for the whole wait. Trying again may help.
    case busy
    /// The operating system refused.
    case storage(SystemError)
    /// The disk is full.
    case noSpace
    /// The user's quota on the disk is used up.
    case overQuota
    /// No memory is left for a secret. Trying again may help.
    case secureHeapFull
    /// The cryptographic library failed.
    case cryptoFailure
    /// One account more, or one byte more, than a vault file may hold.
    case tooManyAccounts
    /// The key of the record is not in memory: an unlock helps. For ``Protection/device`` the vault itself opens only
    /// with a passphrase.
    case locked(Protection)
    /// No slot opens with this passphrase.
    case wrongPassphrase
    /// The TPM rejected this PIN. It counts wrong PINs, and rejects all of them for a while after too many.
    case wrongPIN
    /// The TPM rejects all PINs after too many wrong ones. Trying later helps.
    case tpmLockedOut
    /// The TPM does not work now; the vault may be in order.
    case tpmUnavailable(TPMProblem)
    /// No slot opens with a passphrase or PIN.
    case nothingToUnlock
    /// The protection has a passphrase or PIN already.
    case alreadyProtected(Protection)
    /// The slot is the last one that opens its key.
    case lastSlot
    /// No slot has this number.
    case noSuchSlot
    /// The vault has 16 slots, or has used all slot numbers.
    case tooManySlots
    /// The slot with this number cannot be wrapped again without its passphrase.
    case secretNeeded(slot: Int)
    /// The passphrase or PIN is empty or longer than 1,024 bytes.
    case unusableSecret
    /// There are vaults of several other machines, and none of this one.
    case severalVaults
  }

  /// The kind of failure.
  package var code: Code
  /// The file or directory concerned; nil if there is none, or if the caller adds it.
  package var path: String?

  /// Makes an error about a file.
  package init(_ code: Code, path: String? = nil) {
    self.code = code
    self.path = path
  }

  /// One English sentence without the path, lower case, no full stop.
  package var message: String {
    switch code {
    case .foreignDevice: "the vault was made on another machine, or its device secret or TPM was replaced"
    case .otherMachinesOnly: "there are only vaults of other machines here, none of this one"
    case .damaged: "the file is damaged"
    case .rolledBack: "the vault is older than the one last used; an old copy was put back"
    case .unsupportedVersion: "the vault was written by a version that this one does not know"
    case .unknownSlot: "the vault is locked in a way that this version does not know"
    case .deviceSecretMissing: "the device secret that opens the vault is missing"
    case .badPermissions: "the file has the wrong owner, mode or type"
    case .busy: "another process holds the lock of the vault"
    case .storage(let error): "\(error.operation) failed: \(error.message)"
    case .noSpace: "no space is left on the disk"
    case .overQuota: "the disk quota is used up"
    case .secureHeapFull: "no memory is left for secrets"
    case .cryptoFailure: "the cryptographic library failed"
    case .tooManyAccounts: "the vault is full"
    case .locked(let protection): Self.lockedMessage(protection)
    case .wrongPassphrase: "the passphrase is wrong"
    case .wrongPIN: "the PIN is wrong"
    case .tpmLockedOut: "the TPM refuses every PIN for a while, after too many wrong ones"
    case .tpmUnavailable(let problem): problem.message
    case .nothingToUnlock: "nothing here is locked by a passphrase or a PIN"
    case .alreadyProtected(.device): "the vault opens by this device already"
    case .alreadyProtected(.passphrase): "the vault has a passphrase already"
    case .alreadyProtected(.tpm2): "the vault has a PIN already"
    case .lastSlot: "no other slot opens this level"
    case .noSuchSlot: "no slot has this number"
    case .tooManySlots: "the vault has no room for another slot"
    case .secretNeeded(let slot): "the passphrase of slot \(slot) is needed"
    case .unusableSecret: "a passphrase or PIN has 1 to \(VaultFormat.maximumSecretLength) bytes"
    case .severalVaults: "there are vaults of several other machines here, none of this one"
    }
  }

  private static func lockedMessage(_ protection: Protection) -> String {
    switch protection {
    case .device: "the vault is locked; only its passphrase opens it"
    case .passphrase: "the account is locked by a passphrase"
    case .tpm2: "the account is locked by a PIN"
    }
  }
}

extension VaultError {
  /// Whether the system could not read the file for now (`EIO`, `EMFILE`, `ENOMEM` and the like), so that nothing is
  /// known of what it holds.
  package var isUnread: Bool {
    switch code {
    case .storage(let error): error.isOutOfDescriptors || error.isInputOutput
    case .secureHeapFull: true
    default: false
    }
  }
}
