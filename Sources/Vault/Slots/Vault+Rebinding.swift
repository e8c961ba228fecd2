package import Crypto
internal import Platform

// The way back into a vault that does not open by itself any more.

extension Vault {
  /// Opens the vault by a passphrase of ``Protection/device``, drops the slots that should open by themselves and do
  /// not, and makes the best new one if none is left.
  ///
  /// Where this machine has no vault of its own, because its id has changed, the only one of another machine takes
  /// its place: its file goes when the new one is on disk.
  /// - Returns: The slots as they are now.
  /// - Throws: `wrongPassphrase`; `nothingToUnlock` when there is no such slot, or no vault; `severalVaults`.
  @discardableResult
  package func rebind(passphrase: borrowing SecretBytes) throws(VaultError) -> [SlotSummary] {
    let place = try place()
    guard let directory = try place.open() else { throw VaultError(.nothingToUnlock, path: place.path) }
    let lock = try place.lock(directory, wait: lockWait)
    defer { extendLifetime(lock) }
    place.removeLeftovers(in: directory)
    let source = try source(for: place, in: directory)
    let seen = memory.withLock { $0 }
    guard let unverified = try parse(source, in: directory) else {
      throw VaultError(.nothingToUnlock, path: source.path)
    }
    let key = try unverified.unlock(.device, secret: passphrase, with: bindings, in: directory, path: source.path)
    var vault = try verify(unverified, with: key, seen: seen, path: source.path)
    try located(at: source.path) { () throws(VaultError.Code) in
      try vault.file.advance(above: seen.newest?.generation ?? 0)
    }
    try bindAnew(&vault, in: directory, path: place.path)
    try store(vault, at: place, in: directory, since: seen.wipes, isLent: false)
    if source.fileName != place.fileName {
      do { try directory.removeFile(source.fileName) } catch { throw VaultError(error, path: source.path) }
    }
    return vault.file.slots.map { SlotSummary($0) }
  }

  /// The vault to be bound here: this machine's, else the only other one.
  private func source(
    for place: VaultPlace, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> VaultPlace {
    if directory.exists(place.fileName) { return place }
    let others = try place.otherMachines(in: directory)
    guard others.count <= 1 else { throw VaultError(.severalVaults, path: directory.path) }
    return others.first.map { place.named($0) } ?? place
  }

  private func bindAnew(
    _ vault: inout OpenVault, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) {
    var dead: Set<UInt8> = []
    for slot in vault.file.slots where slot.isAutomatic {
      if try !opensByItself(slot, of: vault.file, in: directory, path: path) { dead.insert(slot.number) }
    }
    vault.file.removeSlots { dead.contains($0.number) }
    if !vault.file.slots.contains(where: \.isAutomatic) {
      vault.file.addSlot(try bindings.makeBestSlot(for: vault.deviceKey, in: vault.file, directory, path: path))
    }
  }

  /// Whether an automatic slot does what it is there for.
  func opensByItself(
    _ slot: KeySlot, of file: VaultFile, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> Bool {
    guard let kind = slot.kind else { return false }
    let context = file.context(of: slot, kind: kind)
    do {
      _ = try bindings.openAutomatically(slot, context, in: directory, path: path)
      return true
    } catch {
      switch error.code {
      case .foreignDevice, .deviceSecretMissing, .tpmUnavailable, .tpmLockedOut, .damaged: return false
      default: throw error
      }
    }
  }
}
