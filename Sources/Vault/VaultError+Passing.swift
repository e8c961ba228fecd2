extension VaultError {
  /// Whether the vault itself may be in order: the same call can succeed once the system allows it.
  package var isPassing: Bool {
    switch code {
    case .busy, .storage, .noSpace, .overQuota, .badPermissions, .secureHeapFull: true
    case .tpmUnavailable, .tpmLockedOut: true
    default: false
    }
  }
}
