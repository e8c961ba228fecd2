package import Crypto
internal import Platform
package import Vocabulary

// Protections that a passphrase or PIN opens.

extension Vault {
  /// Whether a protection has a passphrase or PIN; for the device, whether there is a vault.
  package func hasSlots(for protection: Protection) throws(VaultError) -> Bool {
    try parseForReading().map { !$0.slots(of: protection).isEmpty } ?? false
  }

  /// Gives a protection its first passphrase or PIN, and leaves it unlocked. It creates the vault if there is none.
  ///
  /// - Parameters:
  ///   - secret: 1 to 1,024 bytes.
  ///   - locks: The ``lockCount`` at the time of the request: a lock since then keeps it locked. Nil counts from this
  ///     call on.
  /// - Throws: `alreadyProtected`; `unusableSecret`; for a PIN `tpmUnavailable`.
  package func createProtection(
    _ protection: Protection, secret: borrowing SecretBytes, since locks: Int? = nil
  ) throws(VaultError) {
    let path = try place().path
    let kind: SlotKind =
      switch protection {
      case .device: throw VaultError(.alreadyProtected(.device), path: path)
      case .passphrase: .passphrase
      case .tpm2: .tpm2
      }
    // Before anything is created.
    guard (1...VaultFormat.maximumSecretLength).contains(secret.count) else {
      throw VaultError(.unusableSecret, path: path)
    }
    _ = try changing(orCreating: true, since: locks) { (vault, directory) throws(VaultError) -> Bool? in
      guard vault.file.slots(of: protection).isEmpty else {
        throw VaultError(.alreadyProtected(protection))
      }
      let key = try DataKey.new(for: protection, header: vault.file.header, epoch: vault.file.generation)
      let context = try vault.file.nextContext(kind, for: key)
      vault.file.addSlot(try bindings.makeSlot(kind, secret: secret, for: key, context: context, directory))
      vault.setKey(key)
      return true
    }
  }

  /// Opens a protection with a passphrase or PIN, until ``lock()``. ``Protection/device`` opens too if it has such a
  /// slot: the recovery when its automatic slots fail.
  ///
  /// A wrong passphrase takes one derivation for each slot of the protection.
  /// - Parameter locks: The ``lockCount`` at the time of the request; nil counts from this call on.
  /// - Throws: `wrongPassphrase`; `wrongPIN`; `tpmLockedOut`; `tpmUnavailable`; `nothingToUnlock`; `locked` if
  ///   ``lock()`` was called since then.
  package func unlock(
    _ protection: Protection, secret: borrowing SecretBytes, since locks: Int? = nil
  ) throws(VaultError) {
    let place = try place()
    let seen = memory.withLock { $0 }
    guard let directory = try place.open(), let unverified = try parse(place, in: directory) else {
      throw VaultError(.nothingToUnlock, path: place.path)
    }
    let vault = try located(at: place.path) { () throws(VaultError) in
      let key = try unverified.unlock(protection, secret: secret, with: bindings, in: directory)
      if protection == .device { return try verify(unverified, with: key, seen: seen) }
      var vault = try verify(
        unverified, with: try deviceKey(of: unverified, seen: seen, in: directory), seen: seen)
      vault.setKey(key)
      return vault
    }
    let held = seen.key(of: .device, header: vault.file.header, epoch: vault.file.epochs[.device])
    let isLent: Bool? = protection == .device && held == nil ? true : nil
    let isKept = memory.withLock { $0.remember(vault, since: locks ?? seen.wipes, isLent: isLent) }
    if !isKept { throw VaultError(.locked(protection), path: place.path) }
  }

  /// The number of times that keys were wiped.
  package var lockCount: Int { memory.withLock { $0.wipes } }

  /// Wipes the keys that a passphrase or PIN opened, including the device's key if no automatic slot opened it. A
  /// running call keeps its keys until it ends.
  package func lock() {
    memory.withLock { $0.lock() }
  }

  /// Whether the key of a protection is in memory now. The device's key is loaded automatically when needed, as a rule.
  package func isUnlocked(_ protection: Protection) -> Bool {
    memory.withLock { $0.holds(protection) }
  }

  /// The parsed file, without its keys; nil if there is none.
  func parseForReading() throws(VaultError) -> UnverifiedVaultFile? {
    let place = try place()
    guard let directory = try place.open() else { return nil }
    return try parse(place, in: directory)
  }
}

extension Vault {
  /// The protection of each account's record, in byte order of the names. It needs the device's key only.
  ///
  /// - Throws: `otherMachinesOnly` if only other machines have a vault here.
  package func protections() throws(VaultError) -> [(account: AccountName, protection: Protection)] {
    try snapshot()?.protections ?? []
  }

  /// The protections that ``lock()`` would lock now: those that a passphrase or PIN opened or could open meanwhile.
  package var levelsToLock: Set<Protection> {
    memory.withLock { $0.isDeviceKeyLent } ? [.device, .passphrase, .tpm2] : [.passphrase, .tpm2]
  }
}
