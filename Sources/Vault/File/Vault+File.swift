internal import Crypto
internal import Platform
internal import Vocabulary

// Reading and writing of the file, for all calls.

extension Vault {
  func place() throws(VaultError) -> VaultPlace {
    try VaultPlace(directory: stateDirectory, machineIdentity: bindings.host.machineIdentity)
  }

  /// Runs `body` on the current vault, and writes the result in one step. During `body` the vault has the generation of
  /// the next write, and the lock excludes other writers. An error that names no file is about the vault file.
  ///
  /// - Parameters:
  ///   - orCreating: Whether a vault is created if there is none.
  ///   - locks: A ``lockCount``: keys are remembered only if none was wiped since then. Nil counts from this call on.
  /// - Returns: The result of `body`. If that is nil, or there is no vault, nothing is written.
  /// - Throws: `busy` if another process held the lock for the whole wait.
  func changing<Result>(
    orCreating: Bool = false, since locks: Int? = nil,
    _ body: (inout OpenVault, borrowing PrivateDirectory) throws(VaultError) -> Result?
  ) throws(VaultError) -> Result? {
    let place = try place()
    guard let directory = try orCreating ? place.openOrCreate() : place.open() else { return nil }
    return try located(at: place.path) { () throws(VaultError) in
      try changing(place, in: directory, orCreating: orCreating, since: locks, body)
    }
  }

  private func changing<Result>(
    _ place: VaultPlace, in directory: borrowing PrivateDirectory, orCreating: Bool, since locks: Int?,
    _ body: (inout OpenVault, borrowing PrivateDirectory) throws(VaultError) -> Result?
  ) throws(VaultError) -> Result? {
    let lock = try place.lock(directory, wait: lockWait)
    defer { extendLifetime(lock) }
    let seen = memory.withLock { $0 }
    let newest = seen.newest?.generation ?? 0
    var found = seen.vault(at: place)
    // A process that has read the file and written it before has removed them then.
    if found == nil || !seen.isWriter { place.removeLeftovers(in: directory) }
    if found == nil { found = try load(place, in: directory) }
    var vault: OpenVault
    if let found {
      vault = found
      try vault.file.advance(above: newest)
    } else if orCreating {
      vault = try create(in: directory, above: newest)
    } else {
      return nil
    }
    guard let result = try body(&vault, directory) else { return nil }
    try store(vault, at: place, in: directory, since: locks ?? seen.wipes)
    return result
  }

  /// A new, empty vault. So far only the device secret is on disk.
  private func create(
    in directory: borrowing PrivateDirectory, above floor: UInt64
  ) throws(VaultError) -> OpenVault {
    var vault = try OpenVault.new(above: floor)
    vault.file.addSlot(try bindings.makeBestSlot(for: vault.deviceKey, in: vault.file, directory))
    return vault
  }

  /// The vault on disk; nil if the directory has no vault of any machine.
  ///
  /// - Throws: `otherMachinesOnly` if only other machines have one.
  func loadForReading() throws(VaultError) -> OpenVault? {
    let place = try place()
    // The file is the one that was read or written, so its directory need not be opened.
    if let vault = memory.withLock({ $0 }).vault(at: place) { return vault }
    guard let directory = try place.open() else { return nil }
    if let vault = try load(place, in: directory) { return vault }
    try requireNoOtherMachine(place, in: directory)
    return nil
  }

  /// - Throws: `otherMachinesOnly` if another machine has a vault here.
  func requireNoOtherMachine(_ place: VaultPlace, in directory: borrowing PrivateDirectory) throws(VaultError) {
    guard try place.otherMachines(in: directory).isEmpty else {
      throw VaultError(.otherMachinesOnly, path: directory.path)
    }
  }

  /// Reads the file, gets its key, and checks that it is authentic and not older than the last one seen. A file that is
  /// known is not read again.
  func load(_ place: VaultPlace, in directory: borrowing PrivateDirectory) throws(VaultError) -> OpenVault? {
    // Read before the file: a concurrent write must not make this copy look old.
    let seen = memory.withLock { $0 }
    if let vault = seen.vault(at: place) { return vault }
    guard let (bytes, file) = try place.read(from: directory) else { return nil }
    let vault = try located(at: place.path) { () throws(VaultError) in
      let unverified = try UnverifiedVaultFile(parsing: bytes)
      return try verify(unverified, with: try deviceKey(of: unverified, seen: seen, in: directory), seen: seen)
    }
    memory.withLock { _ = $0.remember(vault, since: seen.wipes, as: file) }
    return vault
  }

  /// Parses the file; nil if there is none.
  func parse(
    _ place: VaultPlace, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> UnverifiedVaultFile? {
    guard let (bytes, _) = try place.read(from: directory) else { return nil }
    return try located(at: place.path) { () throws(VaultError) in try UnverifiedVaultFile(parsing: bytes) }
  }

  /// The key of the device, from memory or from a slot.
  func deviceKey(
    of file: UnverifiedVaultFile, seen: VaultMemory, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> DataKey {
    if let key = seen.key(of: .device, header: file.header, epoch: file.epochs[.device]) { return key }
    return try file.unlock(with: bindings, in: directory)
  }

  /// The vault with all of its keys in memory.
  ///
  /// - Throws: `damaged` if the authentication fails; `rolledBack`.
  func verify(
    _ unverified: UnverifiedVaultFile, with key: DataKey, seen: VaultMemory
  ) throws(VaultError) -> OpenVault {
    let file = try unverified.verified(with: key)
    guard file.generation >= seen.floor(for: file.header) else { throw VaultError(.rolledBack) }
    return OpenVault(file: file, deviceKey: key, otherKeys: seen.otherKeys(of: file))
  }

  /// Replaces the file by this vault in one step, and remembers its keys and generation.
  func store(
    _ vault: OpenVault, at place: VaultPlace, in directory: borrowing PrivateDirectory, since wipes: Int,
    isLent: Bool? = nil
  ) throws(VaultError) {
    let bytes = try located(at: place.path) { () throws(VaultError) in try vault.encoded() }
    let file = try place.replace(in: directory, with: bytes)
    memory.withLock { _ = $0.remember(vault, since: wipes, isLent: isLent, as: file, isWritten: true) }
  }
}

extension Vault {
  /// Checks that a write would not fail for lack of space, rights or locks, and changes nothing. Call it before a step
  /// that cannot be undone and whose result must be stored (reserve first).
  ///
  /// - Throws: The error that the write would throw.
  package func rehearseWrite() throws(VaultError) {
    let place = try place()
    let directory = try place.openOrCreate()
    let lock = try place.lock(directory, wait: lockWait)
    try place.rehearse(in: directory)
    lock.release()
  }
}

extension VaultPlace {
  /// An upper bound for the growth of the file in one write, in bytes.
  private static let growth = 64 << 10

  fileprivate func rehearse(in directory: borrowing PrivateDirectory) throws(VaultError) {
    do {
      try directory.rehearseReplacing(fileName, growth: Self.growth)
    } catch {
      throw VaultError(error, path: path)
    }
  }
}
