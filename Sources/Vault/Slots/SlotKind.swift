/// The kinds of key slots. Numbers are never reused.
package enum SlotKind: UInt16, Sendable, Hashable, CaseIterable {
  /// Bound to the device secret, the machine and the user (``HostBinding``).
  case host = 1
  /// Like ``host``, and bound to a key that never leaves the TPM (``TPMBinding``).
  case tpm2 = 2
  /// Opened by a passphrase (``PassphraseBinding``).
  case passphrase = 3

  package var name: String {
    switch self {
    case .host: "host"
    case .tpm2: "tpm2"
    case .passphrase: "passphrase"
    }
  }
}

extension VaultBinding {
  var slotKind: SlotKind {
    switch self {
    case .host: .host
    case .tpm2: .tpm2
    }
  }
}
