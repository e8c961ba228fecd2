/// The public properties of a vault, read without opening it.
package struct VaultSummary: Sendable, Hashable {
  /// Empty if there is no vault or its file is unreadable.
  package let slots: [SlotSummary]
  /// Nil if the TPM works.
  package let tpmProblem: TPMProblem?
  /// Whether only this machine can open the vault. False without a machine ID, unless the vault is bound to the TPM.
  package let isDeviceBound: Bool
  /// The vault file, which may not exist.
  package let path: String
  package let exists: Bool
}

package struct SlotSummary: Sendable, Hashable {
  /// 1 to 255, never reused in the same vault.
  package let number: Int
  /// Nil if unknown.
  package let kind: SlotKind?
  /// The kind's name, or number if unknown.
  package let name: String
  /// The level whose key is in the slot.
  package let protection: Protection
}

extension SlotSummary {
  init(_ slot: KeySlot) {
    self.init(number: Int(slot.number), kind: slot.kind, name: slot.displayName, protection: slot.protection)
  }
}

extension Vault {
  /// Reads the properties that need no key. An unreadable file has no slots.
  package func summary() -> VaultSummary {
    let location = try? location()
    let slots = try? parseForReading()?.slots.map { SlotSummary($0) }
    return VaultSummary(
      slots: slots ?? [], tpmProblem: bindings.tpm.problem,
      isDeviceBound: bindings.host.machineIdentity != nil || isBoundToTPM(slots ?? []),
      path: location?.path ?? stateDirectory, exists: (try? location?.exists()) ?? false)
  }

  /// Whether the vault (or a new one) opens automatically with a TPM, even an unavailable one.
  package var isBoundToTPM: Bool {
    let summary = summary()
    return summary.exists ? isBoundToTPM(summary.slots) : summary.tpmProblem == nil
  }

  /// False if the TPM works, or only rejected the latest command.
  package var isTPMUnavailable: Bool { bindings.tpm.problem.map { $0 != .refused } ?? false }

  private func isBoundToTPM(_ slots: [SlotSummary]) -> Bool {
    let automatic = slots.filter { $0.protection == .device && ($0.kind == .host || $0.kind == .tpm2) }
    return !automatic.isEmpty && automatic.allSatisfy { $0.kind == .tpm2 }
  }
}
