package import Crypto
internal import Platform

// Protections that somebody has to open.

extension Vault {
  /// Whether a passphrase or PIN has been chosen for a protection; of the device: whether there is
  /// a vault.
  package func hasSlots(for protection: Protection) throws(VaultError) -> Bool {
    try parseForReading().map { !$0.slots(of: protection).isEmpty } ?? false
  }

  /// Gives a protection its first passphrase or PIN, and leaves it unlocked. It makes the vault if
  /// there is none.
  ///
  /// - Parameters:
  ///   - secret: 1 to 1,024 bytes.
  ///   - locks: ``lockCount`` when that was asked for: it is not left unlocked when a lock came since then. Nil counts from this call on.
  /// - Throws: `alreadyProtected`; `unusableSecret`; for a PIN `tpmUnavailable`.
  package func createProtection(
    _ protection: Protection, secret: borrowing SecretBytes, since locks: Int? = nil
  ) throws(VaultError) {
    let kind: SlotKind =
      switch protection {
      case .device: throw VaultError(.alreadyProtected(.device), path: try place().path)
      case .passphrase: .passphrase
      case .tpm2: .tpm2
      }
    let path = try place().path
    // Before anything is made.
    guard (1...PassphraseBinding.maximumLength).contains(secret.count) else {
      throw VaultError(.unusableSecret, path: path)
    }
    _ = try changing(orCreating: true, since: locks) { (vault, directory) throws(VaultError) -> Bool? in
      guard vault.file.slots(of: protection).isEmpty else {
        throw VaultError(.alreadyProtected(protection), path: path)
      }
      let (key, context) = try located(at: path) { () throws(VaultError.Code) in
        let key = try DataKey.new(for: protection, header: vault.file.header, epoch: vault.file.generation)
        return (key, try vault.file.nextContext(kind, for: key))
      }
      let slot = try bindings.makeSlot(kind, secret: secret, for: key, context: context, directory, path: path)
      vault.file.addSlot(slot)
      vault.setKey(key)
      return true
    }
  }

  /// Opens a protection with a passphrase or PIN, until ``lock()``. That of the device, too, where
  /// the vault has such a slot: the way back when it opens no more by itself.
  ///
  /// A wrong passphrase costs one derivation for each slot of the protection, and nothing else.
  /// - Parameter locks: ``lockCount`` when that was asked for; nil counts from this call on.
  /// - Throws: `wrongPassphrase`; `wrongPIN`; `tpmLockedOut`; `tpmUnavailable`; `nothingToUnlock`;
  ///   `locked` when ``lock()`` was called since then.
  package func unlock(
    _ protection: Protection, secret: borrowing SecretBytes, since locks: Int? = nil
  ) throws(VaultError) {
    let place = try place()
    let seen = memory.withLock { $0 }
    guard let directory = try place.open(), let unverified = try parse(place, in: directory) else {
      throw VaultError(.nothingToUnlock, path: place.path)
    }
    let key = try unverified.unlock(protection, secret: secret, with: bindings, in: directory, path: place.path)
    var vault: OpenVault
    if protection == .device {
      vault = try verify(unverified, with: key, seen: seen, path: place.path)
    } else {
      let deviceKey = try deviceKey(of: unverified, seen: seen, in: directory, path: place.path)
      vault = try verify(unverified, with: deviceKey, seen: seen, path: place.path)
      vault.setKey(key)
    }
    let held = seen.key(of: .device, header: vault.file.header, epoch: vault.file.epochs[.device])
    let isLent: Bool? = protection == .device && held == nil ? true : nil
    let isKept = memory.withLock { $0.remember(vault, since: locks ?? seen.wipes, isLent: isLent) }
    if !isKept { throw VaultError(.locked(protection), path: place.path) }
  }

  /// How often keys were wiped.
  package var lockCount: Int { memory.withLock { $0.wipes } }

  /// Wipes the keys that somebody opened: of passphrase and PIN, and of the device if it did not open by
  /// itself. A call under way ends with those it has.
  package func lock() {
    memory.withLock { $0.lock() }
  }

  /// Whether the key of a protection is in memory now. That of the device comes by itself when it is needed,
  /// as a rule.
  package func isUnlocked(_ protection: Protection) -> Bool {
    memory.withLock { $0.holds(protection) }
  }

  /// The file without a look at its keys; nil when there is none.
  func parseForReading() throws(VaultError) -> UnverifiedVaultFile? {
    let place = try place()
    guard let directory = try place.open() else { return nil }
    return try parse(place, in: directory)
  }
}

extension Vault {
  /// How the record of each account opens, in byte order of the names. It needs the device's key only.
  ///
  /// - Throws: `otherMachinesOnly` when this machine has no vault but others have one here.
  package func protections() throws(VaultError) -> [(account: AccountName, protection: Protection)] {
    try snapshot()?.protections ?? []
  }

  /// What ``lock()`` would take away if it were called now: the keys that somebody opened, and those that could
  /// be opened meanwhile.
  package var levelsToLock: Set<Protection> {
    memory.withLock { $0.isDeviceKeyLent } ? [.device, .passphrase, .tpm2] : [.passphrase, .tpm2]
  }
}
