internal import Crypto
internal import Platform

// The reading and writing of the file, which every call goes through.

extension Vault {
  func place() throws(VaultError) -> VaultPlace {
    try VaultPlace(directory: stateDirectory, machineIdentity: bindings.host.machineIdentity)
  }

  /// Runs `body` on the vault as it is now, and writes what it made of it in one step. While it runs
  /// the vault has the generation of the coming write, and no other writer is at work.
  ///
  /// - Parameters:
  ///   - orCreating: Whether a vault is made where there is none.
  ///   - locks: The ``lockCount`` since which no key may have been wiped that is to be remembered. Nil counts from this call on.
  /// - Returns: What `body` returns; when that is nil, or there is no vault, nothing is written.
  /// - Throws: `busy` when others kept the lock for too long.
  func changing<Result>(
    orCreating: Bool = false, since locks: Int? = nil,
    _ body: (inout OpenVault, borrowing PrivateDirectory) throws(VaultError) -> Result?
  ) throws(VaultError) -> Result? {
    let place = try place()
    if orCreating { return try changing(place, in: place.openOrCreate(), orCreating: true, since: locks, body) }
    guard let directory = try place.open() else { return nil }
    return try changing(place, in: directory, orCreating: false, since: locks, body)
  }

  private func changing<Result>(
    _ place: VaultPlace, in directory: borrowing PrivateDirectory, orCreating: Bool, since locks: Int?,
    _ body: (inout OpenVault, borrowing PrivateDirectory) throws(VaultError) -> Result?
  ) throws(VaultError) -> Result? {
    let lock = try place.lock(directory, wait: lockWait)
    defer { extendLifetime(lock) }
    place.removeLeftovers(in: directory)
    let seen = memory.withLock { $0 }
    let newest = seen.newest?.generation ?? 0
    var vault: OpenVault
    if let found = try load(place, in: directory) {
      vault = found
      try located(at: place.path) { () throws(VaultError.Code) in try vault.file.advance(above: newest) }
    } else if orCreating {
      vault = try create(place, in: directory, above: newest)
    } else {
      return nil
    }
    guard let result = try body(&vault, directory) else { return nil }
    try store(vault, at: place, in: directory, since: locks ?? seen.wipes)
    return result
  }

  /// A new, empty vault, in its first write. Nothing is on disk yet but the device secret.
  private func create(
    _ place: VaultPlace, in directory: borrowing PrivateDirectory, above floor: UInt64
  ) throws(VaultError) -> OpenVault {
    var vault = try located(at: place.path) { () throws(VaultError.Code) in try OpenVault.new(above: floor) }
    let slot = try bindings.makeBestSlot(for: vault.deviceKey, in: vault.file, directory, path: place.path)
    vault.file.addSlot(slot)
    return vault
  }

  /// The vault as it is on disk; nil when nobody ever wrote one here.
  ///
  /// - Throws: `otherMachinesOnly` when others have one here.
  func loadForReading() throws(VaultError) -> OpenVault? {
    let place = try place()
    guard let directory = try place.open() else { return nil }
    if let vault = try load(place, in: directory) { return vault }
    guard try place.otherMachines(in: directory).isEmpty else {
      throw VaultError(.otherMachinesOnly, path: directory.path)
    }
    return nil
  }

  /// Reads the file, finds its key, and checks that it is authentic and not older than before.
  func load(_ place: VaultPlace, in directory: borrowing PrivateDirectory) throws(VaultError) -> OpenVault? {
    // Taken before the file is read: a write that comes between must not make this copy look old.
    let seen = memory.withLock { $0 }
    guard let unverified = try parse(place, in: directory) else { return nil }
    let key = try deviceKey(of: unverified, seen: seen, in: directory, path: place.path)
    let vault = try verify(unverified, with: key, seen: seen, path: place.path)
    memory.withLock { _ = $0.remember(vault, since: seen.wipes) }
    return vault
  }

  /// Takes the file apart; nil when there is none.
  func parse(
    _ place: VaultPlace, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> UnverifiedVaultFile? {
    guard let bytes = try place.read(from: directory) else { return nil }
    return try located(at: place.path) { () throws(VaultError.Code) in try UnverifiedVaultFile(parsing: bytes) }
  }

  /// The key of the device, from memory or through a slot.
  func deviceKey(
    of file: UnverifiedVaultFile, seen: VaultMemory, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> DataKey {
    if let key = seen.key(of: .device, header: file.header, epoch: file.epochs[.device]) { return key }
    return try file.unlock(with: bindings, in: directory, path: path)
  }

  /// The vault with all of its keys that are known.
  ///
  /// - Throws: `damaged` when no holder of the key wrote it; `rolledBack`.
  func verify(
    _ unverified: UnverifiedVaultFile, with key: DataKey, seen: VaultMemory, path: String
  ) throws(VaultError) -> OpenVault {
    let file = try located(at: path) { () throws(VaultError.Code) in try unverified.verified(with: key) }
    guard file.generation >= seen.floor(for: file.header) else { throw VaultError(.rolledBack, path: path) }
    var others: [Protection: DataKey] = [:]
    for protection in [Protection.passphrase, .tpm2] {
      others[protection] = seen.key(of: protection, header: file.header, epoch: file.epochs[protection])
    }
    return OpenVault(file: file, deviceKey: key, otherKeys: others)
  }

  /// Puts the vault in the place of its file in one step, and takes note of it.
  func store(
    _ vault: OpenVault, at place: VaultPlace, in directory: borrowing PrivateDirectory, since wipes: Int,
    isLent: Bool? = nil
  ) throws(VaultError) {
    let bytes = try located(at: place.path) { () throws(VaultError.Code) in try vault.encoded() }
    try place.replace(in: directory, with: bytes)
    memory.withLock { _ = $0.remember(vault, since: wipes, isLent: isLent) }
  }
}

extension Vault {
  /// Finds out whether a write would fail for want of space, rights or locks. For the moment before something is
  /// done that cannot be undone and that must be written down then; nothing is changed.
  ///
  /// - Throws: what the write would throw.
  package func rehearseWrite() throws(VaultError) {
    let place = try place()
    let directory = try place.openOrCreate()
    let lock = try place.lock(directory, wait: lockWait)
    try place.rehearse(in: directory)
    lock.release()
  }
}

extension VaultPlace {
  /// More than one record grows by in one write.
  private static let growth = 64 << 10

  fileprivate func rehearse(in directory: borrowing PrivateDirectory) throws(VaultError) {
    do {
      try directory.rehearseReplacing(fileName, growth: Self.growth)
    } catch {
      throw VaultError(error, path: path)
    }
  }
}
