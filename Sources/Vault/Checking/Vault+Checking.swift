internal import Crypto
internal import Platform

extension Vault {
  /// Looks at every slot and every record. Nothing is written, and no PIN or passphrase is tried.
  ///
  /// - Returns: Nil where there is no vault.
  /// - Throws: What is wrong with the file as a whole: `damaged`, `unsupportedVersion`, `badPermissions`.
  package func check() throws(VaultError) -> VaultCheck? {
    let place = try place()
    // Taken before the file is read: a write that comes between must not make this copy look old.
    let seen = memory.withLock { $0 }
    guard let directory = try place.open(), let unverified = try parse(place, in: directory) else { return nil }
    var slots: [VaultCheck.Slot] = []
    for slot in unverified.slots {
      let state = try state(of: slot, in: unverified, directory, path: place.path)
      slots.append(VaultCheck.Slot(SlotSummary(slot), state))
    }
    do {
      let key = try deviceKey(of: unverified, seen: seen, in: directory, path: place.path)
      let vault = try verify(unverified, with: key, seen: seen, path: place.path)
      return VaultCheck(slots: slots, records: try records(of: vault, path: place.path), problem: nil)
    } catch {
      return VaultCheck(slots: slots, records: unverified.lockedRecords, problem: error)
    }
  }

  private func state(
    of slot: KeySlot, in file: UnverifiedVaultFile, _ directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> VaultCheck.SlotState {
    guard let context = file.context(of: slot) else { return .unknown }
    do {
      if slot.isAutomatic {
        _ = try bindings.openAutomatically(slot, context, in: directory, path: path)
        return .opens
      }
      try examine(slot, context, in: directory, path: path)
      return .asks
    } catch {
      switch error.code {
      case .foreignDevice, .wrongPIN: return .foreign
      case .deviceSecretMissing: return .deviceSecretMissing
      case .tpmUnavailable(let problem): return .unavailable(problem)
      case .tpmLockedOut: return .unavailable(.refused)
      case .damaged: return .damaged
      default: throw error
      }
    }
  }

  /// As much as can be said of a slot without what opens it.
  ///
  /// - Throws: `damaged`; of a slot with a PIN also `foreignDevice`, `deviceSecretMissing` and `tpmUnavailable`.
  func examine(
    _ slot: KeySlot, _ context: SlotContext, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) {
    switch context.kind {
    case .passphrase:
      _ = try located(at: path) { () throws(VaultError.Code) in try PassphraseBinding.cost(of: slot.body) }
    case .tpm2:
      let deviceSecret = try DeviceSecret.read(from: directory)
      try located(at: path) { () throws(VaultError.Code) in
        try bindings.tpm.examine(slot.body, bindings.host, under: deviceSecret)
      }
    case .host: throw VaultError(.damaged, path: path)
    }
  }

  private func records(of vault: OpenVault, path: String) throws(VaultError) -> [VaultCheck.Record] {
    var found: [VaultCheck.Record] = []
    for record in vault.file.records {
      let state: VaultCheck.RecordState
      do {
        _ = try vault.key(of: record.protection).open(record)
        state = .opens
      } catch {
        switch error {
        case .locked: state = .locked
        case .damaged: state = .damaged
        default: throw VaultError(error, path: path)
        }
      }
      found.append(VaultCheck.Record(record.name, record.protection, state))
    }
    return found
  }
}

extension UnverifiedVaultFile {
  /// The records that the file claims to have.
  fileprivate var lockedRecords: [VaultCheck.Record] {
    records.map { VaultCheck.Record($0.name, $0.protection, .locked) }
  }
}
