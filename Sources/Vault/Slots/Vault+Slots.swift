package import Crypto
internal import Platform

// What leads to the keys. Each change is one write of the whole file: it happens or it does not.

extension Vault {
  /// The slots as the file has them, in the order of their numbers; none where there is no vault.
  package func slots() throws(VaultError) -> [SlotSummary] {
    try parseForReading()?.slots.map { SlotSummary($0) } ?? []
  }

  /// Lets the vault open by itself in this way and no other. A slot of this kind is made anew.
  ///
  /// Copies of the file from before still open in the old way; only ``rotateKeys(secrets:)`` ends that for what
  /// is written afterwards.
  /// - Returns: The new slot.
  /// - Throws: `tpmUnavailable`.
  @discardableResult
  package func bind(_ kind: AutomaticKind) throws(VaultError) -> SlotSummary {
    let path = try place().path
    let slot: KeySlot? = try changing(orCreating: true) { (vault, directory) throws(VaultError) in
      vault.file.removeSlots(where: \.isAutomatic)
      let slot = try bindings.makeAutomaticSlot(kind, for: vault.deviceKey, in: vault.file, directory, path: path)
      vault.file.addSlot(slot)
      return slot
    }
    guard let slot else { preconditionFailure("a vault that is made is there") }
    return SlotSummary(slot)
  }

  /// Adds a passphrase that opens a protection, too. It is the way back when the machine's id has changed, the
  /// TPM is gone or a PIN is forgotten.
  ///
  /// - Parameter passphrase: 1 to 1,024 bytes.
  /// - Throws: `locked` when the key of the protection is not in memory; `nothingToUnlock` when it has none
  ///   (``createProtection(_:secret:)`` comes first); `tooManySlots`.
  @discardableResult
  package func addPassphrase(
    for protection: Protection, _ passphrase: borrowing SecretBytes
  ) throws(VaultError) -> SlotSummary {
    let path = try place().path
    let slot: KeySlot? = try changing(orCreating: protection == .device) { (vault, directory) throws(VaultError) in
      guard vault.file.epochs[protection] > 0 else { throw VaultError(.nothingToUnlock, path: path) }
      let (key, context) = try located(at: path) { () throws(VaultError.Code) in
        let key = try vault.key(of: protection)
        return (key, try vault.file.nextContext(.passphrase, for: key))
      }
      let slot = try bindings.makeSlot(
        .passphrase, secret: passphrase, for: key, context: context, directory, path: path)
      vault.file.addSlot(slot)
      return slot
    }
    guard let slot else { throw VaultError(.nothingToUnlock, path: path) }
    return SlotSummary(slot)
  }

  /// Puts a new passphrase or PIN in the place of an old one. The slot keeps its number.
  ///
  /// Copies of the file from before still open with the old one; only ``rotateKeys(secrets:)`` ends that for what
  /// is written afterwards.
  /// - Parameters:
  ///   - number: The slot; nil takes the first one of the protection that `old` opens.
  ///   - new: 1 to 1,024 bytes.
  /// - Throws: `wrongPassphrase`, `wrongPIN`, `nothingToUnlock`; `noSuchSlot` also for a slot that opens by itself.
  package func changePassphrase(
    slot number: Int? = nil, for protection: Protection, old: borrowing SecretBytes, new: borrowing SecretBytes
  ) throws(VaultError) {
    let path = try place().path
    let changed: Bool? = try changing { (vault, directory) throws(VaultError) in
      let (slot, key) = try find(number, protection, old, in: vault.file, directory, path: path)
      guard let kind = slot.kind else { throw VaultError(.unknownSlot, path: path) }
      let context = vault.file.context(of: slot, kind: kind)
      vault.file.replaceSlot(
        try bindings.makeSlot(kind, secret: new, for: key, context: context, directory, path: path))
      return true
    }
    if changed == nil { throw VaultError(.nothingToUnlock, path: path) }
  }

  /// Drops a slot. A protection whose last slot goes ends with it.
  ///
  /// - Throws: `noSuchSlot`; `lastSlot` when records, or the vault itself, would open no more on this device.
  package func removeSlot(_ number: Int) throws(VaultError) {
    let path = try place().path
    let removed: Bool? = try changing { (vault, directory) throws(VaultError) in
      let protection = try located(at: path) { () throws(VaultError.Code) in try vault.file.slot(number).protection }
      vault.file.removeSlots { $0.number == number }
      if try !canOpen(protection, vault.file, in: directory, path: path) {
        guard protection != .device, vault.file.recordCount(of: protection) == 0 else {
          throw VaultError(.lastSlot, path: path)
        }
        if vault.file.slots(of: protection).isEmpty { vault.dropKey(of: protection) }
      }
      return true
    }
    if removed == nil { throw VaultError(.noSuchSlot, path: path) }
  }

  /// Whether a slot is left to rely on: no one of an unknown kind, and no one that does not do here what it is there
  /// for, by itself or with its passphrase or PIN.
  private func canOpen(
    _ protection: Protection, _ file: VaultFile, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> Bool {
    let left = file.slots(of: protection)
    // First those for which the TPM is not asked.
    for slot in left where !slot.isAutomatic {
      if try opensBySecret(slot, of: file, in: directory, path: path) { return true }
    }
    for slot in left where slot.isAutomatic {
      if try opensByItself(slot, of: file, in: directory, path: path) { return true }
    }
    return false
  }

  /// Whether a passphrase or PIN is all that a slot needs to open here. The PIN of another machine's slot opens
  /// nothing, nor does one without a TPM.
  private func opensBySecret(
    _ slot: KeySlot, of file: VaultFile, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> Bool {
    guard let kind = slot.kind else { return false }
    do {
      try examine(slot, file.context(of: slot, kind: kind), in: directory, path: path)
      return true
    } catch {
      switch error.code {
      case .foreignDevice, .deviceSecretMissing, .tpmUnavailable, .damaged: return false
      default: throw error
      }
    }
  }

  /// The slot that a passphrase or PIN opens, and the key in it.
  private func find(
    _ number: Int?, _ protection: Protection, _ secret: borrowing SecretBytes, in file: VaultFile,
    _ directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> (KeySlot, DataKey) {
    var failure = VaultError(number == nil ? .nothingToUnlock : .noSuchSlot, path: path)
    for kind in [SlotKind.passphrase, .tpm2] {
      for slot in file.slots(of: protection) where slot.kind == kind && !slot.isAutomatic {
        if let number, slot.number != number { continue }
        do {
          let context = file.context(of: slot, kind: kind)
          return (slot, try bindings.open(slot, context, secret: secret, in: directory, path: path))
        } catch {
          failure = error
        }
      }
    }
    throw failure
  }
}
