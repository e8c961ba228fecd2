package import Vocabulary

/// The public properties of a vault, without opening it. Nothing in it is secret.
package struct VaultSummary: Sendable, Hashable {
  /// The slots; empty when there is no vault, or when its file cannot be read.
  package let slots: [SlotSummary]
  /// The reason why the vault is not bound to the TPM, or would not be if it were created now; nil if there is a TPM
  /// that has not failed.
  package let tpmProblem: TPMProblem?
  /// False where the machine has no id: then a copy of the whole directory opens elsewhere, unless the vault is
  /// bound to the TPM.
  package let isDeviceBound: Bool
  /// The vault file, present or not.
  package let path: String
  /// Whether that file is there.
  package let exists: Bool

  /// Puts a summary together.
  package init(slots: [SlotSummary], tpmProblem: TPMProblem?, isDeviceBound: Bool, path: String, exists: Bool) {
    self.slots = slots
    self.tpmProblem = tpmProblem
    self.isDeviceBound = isDeviceBound
    self.path = path
    self.exists = exists
  }
}

/// The public properties of a key slot. Nothing in it is secret.
package struct SlotSummary: Sendable, Hashable {
  /// 1 to 255; never used for another slot of the same vault.
  package let number: Int
  /// The kind; nil if this program does not know it.
  package let kind: SlotKind?
  /// The name of the kind, or its number when it is unknown.
  package let name: String
  /// The protection whose records the slot opens.
  package let protection: Protection

  /// Puts a summary together.
  package init(number: Int, kind: SlotKind?, name: String, protection: Protection) {
    self.number = number
    self.kind = kind
    self.name = name
    self.protection = protection
  }

  init(_ slot: KeySlot) {
    self.init(number: Int(slot.number), kind: slot.kind, name: slot.displayName, protection: slot.protection)
  }
}

extension Vault {
  /// The properties that need no key. It never fails: a file that cannot be read has no slots.
  package func summary() -> VaultSummary {
    let place = try? place()
    let slots = try? parseForReading()?.slots.map { SlotSummary($0) }
    return VaultSummary(
      slots: slots ?? [], tpmProblem: bindings.tpm.problem,
      isDeviceBound: bindings.host.machineIdentity != nil || isBoundToTPM(slots ?? []),
      path: place?.path ?? stateDirectory, exists: (try? place?.exists()) ?? false)
  }

  /// Whether a TPM opens the vault by itself, be it there now or not, or this machine's would if the vault were made now.
  package var isBoundToTPM: Bool {
    let summary = summary()
    return summary.exists ? isBoundToTPM(summary.slots) : summary.tpmProblem == nil
  }

  /// Whether the TPM, when it was last asked, was out of reach. One that answered that it does not want to is not.
  package var isTPMAway: Bool { bindings.tpm.problem.map { $0 != .refused } ?? false }

  private func isBoundToTPM(_ slots: [SlotSummary]) -> Bool {
    let automatic = slots.filter { $0.protection == .device && ($0.kind == .host || $0.kind == .tpm2) }
    return !automatic.isEmpty && automatic.allSatisfy { $0.kind == .tpm2 }
  }
}
