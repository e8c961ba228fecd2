/// What may be told about a key slot. Nothing in it is secret.
package struct SlotSummary: Sendable, Hashable {
  /// 1 to 255; never given to another slot as long as the vault lives.
  package let number: Int
  /// Nil when this program does not know the kind.
  package let kind: SlotKind?
  /// The name of the kind, or its number when it is unknown.
  package let name: String
  /// Whose records the slot leads to.
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
