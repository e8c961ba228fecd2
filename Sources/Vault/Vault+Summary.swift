extension Vault {
  /// What can be told without a key. It never fails: a file that cannot be read has no slots.
  package func summary() -> VaultSummary {
    let place = try? place()
    let slots = try? parseForReading()?.slots.map { SlotSummary($0) }
    return VaultSummary(
      slots: slots ?? [], tpmProblem: bindings.tpm.problem,
      isDeviceBound: bindings.host.machineIdentity != nil || isBoundToTPM(slots ?? []),
      path: place?.path ?? stateDirectory, exists: (try? place?.exists()) ?? false)
  }

  private func isBoundToTPM(_ slots: [SlotSummary]) -> Bool {
    let automatic = slots.filter { $0.protection == .device && ($0.kind == .host || $0.kind == .tpm2) }
    return !automatic.isEmpty && automatic.allSatisfy { $0.kind == .tpm2 }
  }
}
