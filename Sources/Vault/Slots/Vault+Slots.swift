package import Crypto
internal import Platform

// Each change is one atomic write of the file.

extension Vault {
  /// Ordered by number; empty without a vault.
  package func slots() throws(VaultError) -> [SlotSummary] {
    try parseForReading()?.slots.map { SlotSummary($0) } ?? []
  }

  /// Replaces all automatic slots by one of this kind. Older copies of the file can still be opened with the old slots;
  /// see ``rotateKeys(secrets:)``. Throws `tpmUnavailable`.
  @discardableResult
  package func bind(_ kind: VaultBinding) throws(VaultError) -> SlotSummary {
    let slot: KeySlot? = try modify(orCreating: true) { (vault, directory) throws(VaultError) in
      vault.file.removeSlots(where: \.isAutomatic)
      let slot = try bindings.makeAutomaticSlot(kind, for: vault.deviceKey, in: vault.file, directory)
      vault.file.addSlot(slot)
      return slot
    }
    guard let slot else { preconditionFailure("a created vault must exist") }
    return SlotSummary(slot)
  }

  /// Adds a passphrase to a level, for recovery if the other slots fail.
  ///
  /// - Parameter passphrase: 1 to 1,024 bytes.
  /// - Throws: `locked`, `nothingToUnlock` if the level has no key yet (see ``createProtection(_:secret:since:)``), or
  ///   `tooManySlots`.
  @discardableResult
  package func addPassphrase(
    for protection: Protection, _ passphrase: borrowing SecretBytes
  ) throws(VaultError) -> SlotSummary {
    let slot: KeySlot? = try modify(orCreating: protection == .device) { (vault, directory) throws(VaultError) in
      guard vault.file.epochs[protection] > 0 else { throw VaultError(.nothingToUnlock) }
      let key = try vault.key(of: protection)
      let context = try vault.file.nextContext(.passphrase, for: key)
      let slot = try bindings.makeSlot(.passphrase, secret: passphrase, for: key, context: context, directory)
      vault.file.addSlot(slot)
      return slot
    }
    guard let slot else { throw VaultError(.nothingToUnlock, path: try location().path) }
    return SlotSummary(slot)
  }

  /// Replaces a passphrase or PIN. The slot keeps its number. Older copies of the file still open with the old secret;
  /// see ``rotateKeys(secrets:)``.
  ///
  /// - Parameter new: 1 to 1,024 bytes.
  /// - Throws: `wrongPassphrase`, `wrongPIN`, or `nothingToUnlock` if there is nothing to change.
  package func changePassphrase(
    for protection: Protection, old: borrowing SecretBytes, new: borrowing SecretBytes
  ) throws(VaultError) {
    let changed: Bool? = try modify { (vault, directory) throws(VaultError) in
      let (slot, key) = try findSlot(protection, old, in: vault.file, directory)
      guard let kind = slot.kind else { throw VaultError(.unknownSlot) }
      let context = vault.file.context(of: slot, kind: kind)
      vault.file.replaceSlot(try bindings.makeSlot(kind, secret: new, for: key, context: context, directory))
      return true
    }
    if changed == nil { throw VaultError(.nothingToUnlock, path: try location().path) }
  }

  /// Removes a slot, and the level's key if no slot remains. Throws `noSuchSlot`, or `lastSlot` if records, or the
  /// vault itself, would no longer open on this device.
  package func removeSlot(_ number: Int) throws(VaultError) {
    let removed: Bool? = try modify { (vault, directory) throws(VaultError) in
      let protection = try vault.file.slot(number).protection
      vault.file.removeSlots { $0.number == number }
      if try !canOpen(protection, vault.file, in: directory) {
        guard protection != .device, vault.file.recordCount(of: protection) == 0 else {
          throw VaultError(.lastSlot(protection))
        }
        if vault.file.slots(of: protection).isEmpty { vault.dropKey(of: protection) }
      }
      return true
    }
    if removed == nil { throw VaultError(.noSuchSlot, path: try location().path) }
  }

  private func canOpen(
    _ protection: Protection, _ file: VaultFile, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> Bool {
    let left = file.slots(of: protection)
    // Slots without the TPM first.
    for slot in left.filter({ !$0.isAutomatic }) + left.filter(\.isAutomatic) {
      if try opens(slot, of: file, in: directory) { return true }
    }
    return false
  }

  /// Whether a slot opens on this device, or would with its passphrase or PIN.
  func opens(
    _ slot: KeySlot, of file: VaultFile, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> Bool {
    guard let kind = slot.kind else { return false }
    let context = file.context(of: slot, kind: kind)
    do {
      if slot.isAutomatic {
        _ = try bindings.openAutomatically(slot, context, in: directory)
      } else {
        try examine(slot, context, in: directory)
      }
      return true
    } catch {
      switch error.code {
      case .tpmLockedOut where !slot.isAutomatic: throw error
      case .foreignDevice, .deviceSecretMissing, .tpmUnavailable, .tpmLockedOut, .damaged: return false
      default: throw error
      }
    }
  }

  private func findSlot(
    _ protection: Protection, _ secret: borrowing SecretBytes, in file: VaultFile,
    _ directory: borrowing PrivateDirectory
  ) throws(VaultError) -> (KeySlot, DataKey) {
    var failure = VaultError(.nothingToUnlock)
    for kind in [SlotKind.passphrase, .tpm2] {
      for slot in file.slots(of: protection) where slot.kind == kind && !slot.isAutomatic {
        do {
          let context = file.context(of: slot, kind: kind)
          return (slot, try bindings.open(slot, context, secret: secret, in: directory))
        } catch {
          failure = error
        }
      }
    }
    throw failure
  }
}
