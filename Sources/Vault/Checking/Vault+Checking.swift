internal import Platform

extension Vault {
  /// Checks all slots and records; nil without a vault. Writes nothing and tries no PIN or passphrase.
  ///
  /// - Throws: `damaged`, `unsupportedVersion` or `badPermissions` if the file is unusable, `otherMachinesOnly` if only
  ///   other machines have a vault here.
  package func check() throws(VaultError) -> VaultCheck? {
    let location = try location()
    // Copied before reading the file: a concurrent write may follow.
    let seen = memory.withLock { $0 }
    guard let directory = try location.open() else { return nil }
    guard let unverified = try parse(location, in: directory) else {
      try requireNoOtherMachine(location, in: directory)
      return nil
    }
    let slots = try addingPath(location.path) { () throws(VaultError) in try checkSlots(of: unverified, in: directory)
    }
    do {
      let records = try addingPath(location.path) { () throws(VaultError) in
        let key = try deviceKey(of: unverified, seen: seen, in: directory)
        return try checkRecords(of: try verify(unverified, with: key, seen: seen))
      }
      return VaultCheck(slots: slots, records: records, problem: nil)
    } catch {
      let records = unverified.records.map {
        VaultCheck.Record(account: $0.name, protection: $0.protection, state: .locked)
      }
      return VaultCheck(slots: slots, records: records, problem: error)
    }
  }

  private func checkSlots(
    of file: UnverifiedVaultFile, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> [VaultCheck.Slot] {
    var slots: [VaultCheck.Slot] = []
    for slot in file.slots {
      slots.append(VaultCheck.Slot(summary: SlotSummary(slot), state: try state(of: slot, in: file, directory)))
    }
    return slots
  }

  private func state(
    of slot: KeySlot, in file: UnverifiedVaultFile, _ directory: borrowing PrivateDirectory
  ) throws(VaultError) -> VaultCheck.SlotState {
    guard let context = file.context(of: slot) else { return .unknown }
    do {
      if slot.isAutomatic {
        _ = try bindings.openAutomatically(slot, context, in: directory)
        return .opens
      }
      try examine(slot, context, in: directory)
      return .needsSecret
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

  /// Checks a slot as far as possible without its passphrase or PIN. Throws `damaged` if malformed; for a PIN also
  /// `foreignDevice`, `deviceSecretMissing` or `tpmUnavailable`.
  func examine(
    _ slot: KeySlot, _ context: SlotContext, in directory: borrowing PrivateDirectory
  ) throws(VaultError) {
    switch context.kind {
    case .passphrase: _ = try PassphraseBinding.cost(of: slot.body)
    case .tpm2: try bindings.tpm.examine(slot.body, bindings.host, under: DeviceSecret.read(from: directory))
    case .host: throw VaultError(.damaged)
    }
  }

  private func checkRecords(of vault: OpenVault) throws(VaultError) -> [VaultCheck.Record] {
    var found: [VaultCheck.Record] = []
    for record in vault.file.records {
      let state: VaultCheck.RecordState
      do {
        _ = try vault.deviceKey.openLabel(of: record)
        _ = try vault.key(of: record.protection).open(record)
        state = .opens
      } catch {
        switch error.code {
        case .locked: state = .locked
        case .damaged: state = .damaged
        default: throw error
        }
      }
      found.append(VaultCheck.Record(account: record.name, protection: record.protection, state: state))
    }
    return found
  }
}
