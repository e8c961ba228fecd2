internal import Platform

extension UnverifiedVaultFile {
  /// Gets the data key through the first slot that opens.
  ///
  /// - Throws: `unknownSlot` when a slot of an unknown kind might have opened; otherwise what was
  ///   wrong with the first slot.
  func unlock(
    with binding: HostBinding, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> DataKey {
    var failure: VaultError?
    for slot in slots {
      do {
        if let key = try unlock(slot, with: binding, in: directory, path: path) { return key }
      } catch {
        // A passing failure must not be reported as a lasting one.
        guard error.code == .foreignDevice || error.code == .deviceSecretMissing else { throw error }
        failure = failure ?? error
      }
    }
    if slots.contains(where: { $0.kind == nil }) { throw VaultError(.unknownSlot, path: path) }
    throw failure ?? VaultError(.damaged, path: path)
  }

  /// Nil when the kind is unknown.
  private func unlock(
    _ slot: KeySlot, with binding: HostBinding, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> DataKey? {
    switch slot.kind {
    case nil: return nil
    case .host:
      let deviceSecret = try DeviceSecret.read(from: directory)
      return try located(at: path) { () throws(VaultError.Code) in
        try DataKey(binding.unwrap(slot, under: deviceSecret, header: header), header: header)
      }
    }
  }
}
