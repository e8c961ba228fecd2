internal import Vault
internal import Wire

extension Protection {
  /// Converts a level of the vault to one of the wire protocol.
  init(_ level: ProtectionLevel) {
    self =
      switch level {
      case .device: .device
      case .passphrase: .passphrase
      case .tpm2: .tpm2
      }
  }
}

extension ProtectionLevel {
  init(_ protection: Protection) {
    self =
      switch protection {
      case .device: .device
      case .passphrase: .passphrase
      case .tpm2: .tpm2
      }
  }
}

extension AutomaticKind {
  init(_ binding: VaultBinding) {
    self =
      switch binding {
      case .host: .host
      case .tpm2: .tpm2
      }
  }
}
