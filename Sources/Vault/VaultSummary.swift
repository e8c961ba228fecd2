/// What may be told about a vault without opening it. Nothing in it is secret.
package struct VaultSummary: Sendable, Hashable {
  /// The slots; empty when there is no vault, or when its file cannot be read.
  package let slots: [SlotSummary]
  /// Why the vault is not bound to the TPM, or would not be if it were made now; nil when a TPM is there and
  /// has not failed.
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
