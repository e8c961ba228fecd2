package import Crypto
internal import Platform

extension Vault {
  /// Opens the vault with its passphrase and removes the automatic slots that no longer open; creates the best one if
  /// none is left. If this machine has no vault because its ID has changed, moves the only vault of another machine.
  ///
  /// - Returns: The slots afterwards.
  /// - Throws: `wrongPassphrase`, `nothingToUnlock` without a passphrase slot or vault, or `severalVaults` if several
  ///   other machines have one.
  @discardableResult
  package func rebind(passphrase: borrowing SecretBytes) throws(VaultError) -> [SlotSummary] {
    let location = try location()
    var slots: [SlotSummary]?
    try withExclusiveAccess { (directory) throws(VaultError) in
      slots = try rebind(location, in: directory, passphrase: passphrase)
    }
    guard let slots else { throw VaultError(.nothingToUnlock, path: location.path) }
    return slots
  }

  private func rebind(
    _ location: VaultLocation, in directory: borrowing PrivateDirectory, passphrase: borrowing SecretBytes
  ) throws(VaultError) -> [SlotSummary] {
    location.removeLeftovers(in: directory)
    let source = try vaultToRebind(for: location, in: directory)
    let seen = memory.withLock { $0 }
    guard let unverified = try parse(source, in: directory) else {
      throw VaultError(.nothingToUnlock, path: source.path)
    }
    var vault = try addingPath(source.path) { () throws(VaultError) in
      let key = try unverified.unlock(.device, secret: passphrase, with: bindings, in: directory)
      var vault = try verify(unverified, with: key, seen: seen)
      try vault.file.advance(above: seen.newest?.generation ?? 0)
      return vault
    }
    _ = try DeviceSecret.setAsideIfDamaged(in: directory)
    try addingPath(location.path) { () throws(VaultError) in
      try replaceUnusableSlots(&vault, in: directory)
      try store(vault, at: location, in: directory, since: seen.wipeCount, isFromPassphrase: false)
    }
    if source.fileName != location.fileName {
      do { try directory.removeFile(source.fileName) } catch { throw VaultError(error, path: source.path) }
    }
    return vault.file.slots.map { SlotSummary($0) }
  }

  /// Renames a vault with problems, so that the next write creates a new one.
  ///
  /// - Returns: The new paths of the vault file and of a damaged device secret.
  /// - Throws: `vaultOpens` if it has no problems, `noVault`, or the temporary error that prevents the check.
  package func setAside() throws(VaultError) -> [String] {
    let location = try location()
    var paths: [String] = []
    try withExclusiveAccess { (directory) throws(VaultError) in
      do throws(VaultError) {
        if try check()?.isSound == true { throw VaultError(.vaultOpens, path: location.path) }
      } catch {
        if error.code == .vaultOpens || error.isTemporarilyUnreadable { throw error }
      }
      if directory.exists(location.fileName) {
        do throws(SystemError) { paths.append(try directory.setAside(location.fileName)) } catch {
          throw VaultError(error, path: location.path)
        }
      }
      if let secret = try DeviceSecret.setAsideIfDamaged(in: directory) { paths.append(secret) }
      forgetKeys()
    }
    if paths.isEmpty { throw VaultError(.noVault, path: location.path) }
    return paths
  }

  /// The vault to rebind: this machine's, or else the only other one.
  private func vaultToRebind(
    for location: VaultLocation, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> VaultLocation {
    if directory.exists(location.fileName) { return location }
    let others = try location.otherMachinesFiles(in: directory)
    guard others.count <= 1 else { throw VaultError(.severalVaults, path: directory.path) }
    return others.first.map { location.withFileName($0) } ?? location
  }

  private func replaceUnusableSlots(_ vault: inout OpenVault, in directory: borrowing PrivateDirectory)
    throws(VaultError)
  {
    var dead: Set<UInt8> = []
    for slot in vault.file.slots where slot.isAutomatic {
      if try !opens(slot, of: vault.file, in: directory) { dead.insert(slot.number) }
    }
    vault.file.removeSlots { dead.contains($0.number) }
    if !vault.file.slots.contains(where: \.isAutomatic) {
      vault.file.addSlot(try bindings.makeBestSlot(for: vault.deviceKey, in: vault.file, directory))
    }
  }
}
