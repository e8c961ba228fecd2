package import Crypto
internal import Platform
internal import Vocabulary

// Recovery of a vault whose automatic slots no longer open.

extension Vault {
  /// Opens the vault with a passphrase of ``Protection/device``, removes the automatic slots that no longer open, and
  /// creates the best new one if none is left.
  ///
  /// If this machine has no vault because its ID has changed, uses the only vault of another machine, and removes that
  /// file once the new one is on disk.
  ///
  /// - Returns: The new slots.
  /// - Throws: `wrongPassphrase`, `nothingToUnlock` if there is no such slot or no vault, or `severalVaults`.
  @discardableResult
  package func rebind(passphrase: borrowing SecretBytes) throws(VaultError) -> [SlotSummary] {
    let place = try place()
    var slots: [SlotSummary]?
    try excludingWriters { (directory) throws(VaultError) in
      slots = try rebind(place, in: directory, passphrase: passphrase)
    }
    guard let slots else { throw VaultError(.nothingToUnlock, path: place.path) }
    return slots
  }

  /// Rebinds the vault, holding the lock.
  private func rebind(
    _ place: VaultPlace, in directory: borrowing PrivateDirectory, passphrase: borrowing SecretBytes
  ) throws(VaultError) -> [SlotSummary] {
    place.removeLeftovers(in: directory)
    let source = try source(for: place, in: directory)
    let seen = memory.withLock { $0 }
    guard let unverified = try parse(source, in: directory) else {
      throw VaultError(.nothingToUnlock, path: source.path)
    }
    var vault = try located(at: source.path) { () throws(VaultError) in
      let key = try unverified.unlock(.device, secret: passphrase, with: bindings, in: directory)
      var vault = try verify(unverified, with: key, seen: seen)
      try vault.file.advance(above: seen.newest?.generation ?? 0)
      return vault
    }
    _ = try DeviceSecret.setAsideIfDamaged(in: directory)
    try located(at: place.path) { () throws(VaultError) in
      try bindAnew(&vault, in: directory)
      try store(vault, at: place, in: directory, since: seen.wipes, isLent: false)
    }
    if source.fileName != place.fileName {
      do { try directory.removeFile(source.fileName) } catch { throw VaultError(error, path: source.path) }
    }
    return vault.file.slots.map { SlotSummary($0) }
  }

  /// Renames a vault that does not open, so that the next write creates a new one. Deletes nothing.
  ///
  /// - Returns: The new paths of the vault file and of a damaged device secret.
  /// - Throws: `inOrder` if the vault opens, `noVault`, or why that cannot be determined now.
  package func setAside() throws(VaultError) -> [String] {
    let place = try place()
    var paths: [String] = []
    try excludingWriters { (directory) throws(VaultError) in
      do throws(VaultError) {
        if try check()?.isSound == true { throw VaultError(.inOrder, path: place.path) }
      } catch {
        if error.code == .inOrder || error.isUnread { throw error }
      }
      if directory.exists(place.fileName) {
        do throws(SystemError) { paths.append(try directory.setAside(place.fileName)) } catch {
          throw VaultError(error, path: place.path)
        }
      }
      if let secret = try DeviceSecret.setAsideIfDamaged(in: directory) { paths.append(secret) }
      forgetKeys()
    }
    if paths.isEmpty { throw VaultError(.noVault, path: place.path) }
    return paths
  }

  /// The vault to bind: this machine's, or else the only other one.
  ///
  /// - Throws: `severalVaults` if there are several others.
  private func source(
    for place: VaultPlace, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> VaultPlace {
    if directory.exists(place.fileName) { return place }
    let others = try place.otherMachines(in: directory)
    guard others.count <= 1 else { throw VaultError(.severalVaults, path: directory.path) }
    return others.first.map { place.named($0) } ?? place
  }

  private func bindAnew(_ vault: inout OpenVault, in directory: borrowing PrivateDirectory) throws(VaultError) {
    var dead: Set<UInt8> = []
    for slot in vault.file.slots where slot.isAutomatic {
      if try !opensByItself(slot, of: vault.file, in: directory) { dead.insert(slot.number) }
    }
    vault.file.removeSlots { dead.contains($0.number) }
    if !vault.file.slots.contains(where: \.isAutomatic) {
      vault.file.addSlot(try bindings.makeBestSlot(for: vault.deviceKey, in: vault.file, directory))
    }
  }

  /// Whether an automatic slot opens on this device.
  func opensByItself(
    _ slot: KeySlot, of file: VaultFile, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> Bool {
    guard let kind = slot.kind else { return false }
    let context = file.context(of: slot, kind: kind)
    do {
      _ = try bindings.openAutomatically(slot, context, in: directory)
      return true
    } catch {
      switch error.code {
      case .foreignDevice, .deviceSecretMissing, .tpmUnavailable, .tpmLockedOut, .damaged: return false
      default: throw error
      }
    }
  }
}
