/// The kinds of slots that open by themselves.
package enum AutomaticKind: Sendable, Hashable, CaseIterable {
  /// The device secret and the machine.
  case host
  /// The same, and a key in the TPM.
  case tpm2

  var slotKind: SlotKind {
    switch self {
    case .host: .host
    case .tpm2: .tpm2
    }
  }
}
