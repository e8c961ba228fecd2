package import Crypto
internal import Platform

extension Vault {
  /// Whether a level has a passphrase or PIN. For `device`, whether there is a vault.
  package func hasSlots(for protection: Protection) throws(VaultError) -> Bool {
    try parseForReading().map { !$0.slots(of: protection).isEmpty } ?? false
  }

  /// Gives a level its first passphrase or PIN, and leaves it unlocked. Creates the vault if necessary.
  ///
  /// - Parameters:
  ///   - secret: 1 to 1,024 bytes.
  ///   - locks: The ``wipeCount`` at the request. If it has changed, the level stays locked.
  /// - Throws: `alreadyProtected`, `unusableSecret` for another length, or `tpmUnavailable` for a PIN.
  package func createProtection(
    _ protection: Protection, secret: borrowing SecretBytes, since locks: Int? = nil
  ) throws(VaultError) {
    let path = try location().path
    let kind: SlotKind =
      switch protection {
      case .device: throw VaultError(.alreadyProtected(.device), path: path)
      case .passphrase: .passphrase
      case .tpm2: .tpm2
      }
    guard (1...VaultFormat.maximumSecretLength).contains(secret.count) else {
      throw VaultError(.unusableSecret, path: path)
    }
    _ = try modify(orCreating: true, since: locks) { (vault, directory) throws(VaultError) -> Bool? in
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

  /// Unlocks a level with a passphrase or PIN, until ``lock()``. ``Protection/device`` may have a recovery passphrase.
  ///
  /// - Parameter locks: The ``wipeCount`` at the request.
  /// - Throws: `wrongPassphrase`, `wrongPIN`, `tpmLockedOut`, `tpmUnavailable`, `nothingToUnlock`, or `locked` if
  ///   ``lock()`` was called after the request.
  package func unlock(
    _ protection: Protection, secret: borrowing SecretBytes, since locks: Int? = nil
  ) throws(VaultError) {
    let location = try location()
    let seen = memory.withLock { $0 }
    guard let directory = try location.open(), let unverified = try parse(location, in: directory) else {
      throw VaultError(.nothingToUnlock, path: location.path)
    }
    let vault = try addingPath(location.path) { () throws(VaultError) in
      let key = try unverified.unlock(protection, secret: secret, with: bindings, in: directory)
      if protection == .device { return try verify(unverified, with: key, seen: seen) }
      var vault = try verify(
        unverified, with: try deviceKey(of: unverified, seen: seen, in: directory), seen: seen)
      vault.setKey(key)
      return vault
    }
    let held = seen.key(of: .device, header: vault.file.header, epoch: vault.file.epochs[.device])
    let isFromPassphrase: Bool? = protection == .device && held == nil ? true : nil
    let isKept = memory.withLock {
      $0.remember(vault, since: locks ?? seen.wipeCount, isFromPassphrase: isFromPassphrase)
    }
    if !isKept { throw VaultError(.locked(protection), path: location.path) }
  }

  package var wipeCount: Int { memory.withLock { $0.wipeCount } }

  /// Wipes the keys unlocked by a passphrase or PIN. A call in progress keeps its keys.
  package func lock() {
    memory.withLock { $0.lock() }
  }

  /// Whether a level's key is in memory. The device key is loaded when needed.
  package func isUnlocked(_ protection: Protection) -> Bool {
    memory.withLock { $0.hasKey(of: protection) }
  }

  func parseForReading() throws(VaultError) -> UnverifiedVaultFile? {
    let location = try location()
    guard let directory = try location.open() else { return nil }
    return try parse(location, in: directory)
  }

  /// Like ``VaultSnapshot/protections``. Throws `otherMachinesOnly` if only other machines have a vault here.
  package func protections() throws(VaultError) -> [(account: AccountName, protection: Protection)] {
    try snapshot()?.protections ?? []
  }

  /// The levels that ``lock()`` locks.
  package var levelsToLock: Set<Protection> {
    memory.withLock { $0.isDeviceKeyFromPassphrase } ? [.device, .passphrase, .tpm2] : [.passphrase, .tpm2]
  }
}
