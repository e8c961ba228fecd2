/// What may be told about a vault without opening it. Nothing in it is secret.
package struct VaultSummary: Sendable, Hashable {
  /// The kinds of the slots that open the vault, such as `host`; empty when there is no vault, or
  /// when its file cannot be read.
  package let slots: [String]
  /// False where the machine has no id: then a copy of the whole directory opens elsewhere.
  package let isDeviceBound: Bool
  /// The vault file, present or not.
  package let path: String
  /// Whether that file is there.
  package let exists: Bool

  /// Puts a summary together.
  package init(slots: [String], isDeviceBound: Bool, path: String, exists: Bool) {
    self.slots = slots
    self.isDeviceBound = isDeviceBound
    self.path = path
    self.exists = exists
  }
}
