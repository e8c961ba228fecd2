package import Crypto
package import Platform

/// The sealed store of the accounts' secrets, one file for each machine.
///
/// Every call works on the file as it is then, so several vaults on one directory, in one process
/// or in many, see each other's writes. All calls may be made from any thread; they do blocking
/// I/O. An error changes nothing on disk, except that a write whose last step failed may have
/// taken place.
///
/// Between calls the vault keeps the keys derived from the data key, on the secure heap, until
/// ``forgetKeys()`` or its end; it keeps no content.
///
/// Its end is also the end of what it knows about older copies: a copy of the file put back while
/// no program runs is not noticed.
package final class Vault: Sendable {
  /// One account's content, opened. Wiped when its owner lets go of it.
  package struct Record: ~Copyable, Sendable {
    /// The number of the write that made it. A later write of any account has a higher one.
    package let generation: UInt64
    /// The bytes that were written.
    package let content: SecretBytes
  }

  private let stateDirectory: String
  private let binding: HostBinding
  private let lockWait: Duration
  private let memory = Monitor(VaultMemory())

  /// Names a vault. Nothing is read or written; the directory is made at the first write.
  ///
  /// - Parameters:
  ///   - stateDirectory: An absolute path. If it exists it must be the user's own and closed to others.
  ///   - machineIdentity: What tells this machine from others; nil where there is nothing.
  ///   - userID: The user that the vault belongs to.
  ///   - lockWait: How long a write waits for the writes of others.
  package init(
    stateDirectory: String, machineIdentity: [UInt8]?, userID: UInt32, lockWait: Duration = .seconds(10)
  ) {
    self.stateDirectory = stateDirectory
    self.lockWait = lockWait
    binding = HostBinding(machineIdentity: machineIdentity, userID: userID)
  }

  /// The accounts that have a record, in byte order.
  ///
  /// - Throws: `otherMachinesOnly` when this machine has no vault but others have one here.
  package func accounts() throws(VaultError) -> [AccountName] {
    try loadForReading()?.file.records.map(\.name) ?? []
  }

  /// Opens the record of one account, and no other; nil when there is none.
  ///
  /// - Throws: `otherMachinesOnly` when this machine has no vault but others have one here.
  package func read(_ account: AccountName) throws(VaultError) -> Record? {
    guard let vault = try loadForReading(), let record = vault.file.record(of: account) else { return nil }
    let path = try place().path
    let content = try located(at: path) { () throws(VaultError.Code) in try vault.key.open(record) }
    return Record(generation: record.generation, content: content)
  }

  /// Puts `content` in the place of what the account had. It is on disk when this returns.
  ///
  /// The first write makes the directory, the device secret and the vault.
  ///
  /// - Returns: The generation of the new record, higher than any before.
  /// - Throws: `busy` when others kept the lock for too long; `tooManyAccounts` when the vault is full.
  @discardableResult
  package func write(_ account: AccountName, content: borrowing SecretBytes) throws(VaultError) -> UInt64 {
    let place = try place()
    let directory = try place.openOrCreate()
    let lock = try place.lock(directory, wait: lockWait)
    defer { extendLifetime(lock) }
    place.removeLeftovers(in: directory)
    var vault = try loadOrCreate(place, in: directory)
    do {
      try vault.file.advance(above: newestGeneration)
      try vault.file.put(vault.key.seal(content, for: account, generation: vault.file.generation))
    } catch {
      throw VaultError(error, path: place.path)
    }
    try store(vault, at: place, in: directory)
    return vault.file.generation
  }

  /// Drops the record of an account.
  ///
  /// - Returns: Whether there was one. Without a vault of this machine there is none.
  /// - Throws: `busy` when others kept the lock for too long.
  @discardableResult
  package func remove(_ account: AccountName) throws(VaultError) -> Bool {
    let place = try place()
    guard let directory = try place.open() else { return false }
    let lock = try place.lock(directory, wait: lockWait)
    defer { extendLifetime(lock) }
    place.removeLeftovers(in: directory)
    guard var vault = try load(place, in: directory), vault.file.record(of: account) != nil else { return false }
    do {
      try vault.file.advance(above: newestGeneration)
    } catch {
      throw VaultError(error, path: place.path)
    }
    vault.file.remove(account)
    try store(vault, at: place, in: directory)
    return true
  }

  /// Takes the lock of one account, which whoever refreshes its tokens holds. It binds only those
  /// who ask for it, and says nothing about reading and writing.
  ///
  /// - Parameter wait: The longest wait; zero tries once.
  /// - Throws: `busy` when it was taken the whole time.
  package func lockAccount(_ account: AccountName, wait: Duration) throws(VaultError) -> FileLock {
    try AccountLocks(stateDirectory: stateDirectory).lock(account, wait: wait)
  }

  /// What can be told without a key. It never fails: a file that cannot be read has no slots.
  package func summary() -> VaultSummary {
    let place = try? place()
    let slots = try? place?.read().map { (bytes) throws(VaultError.Code) in
      try UnverifiedVaultFile(parsing: bytes).slots.map(\.displayName)
    }
    return VaultSummary(
      slots: slots ?? [], isDeviceBound: binding.machineIdentity != nil,
      path: place?.path ?? stateDirectory, exists: (try? place?.exists()) ?? false)
  }

  /// Wipes the keys. A call under way ends with those it has; the next one gets them anew.
  package func forgetKeys() {
    memory.withLock { $0.forgetKey() }
  }
}

extension Vault {
  private func place() throws(VaultError) -> VaultPlace {
    try VaultPlace(directory: stateDirectory, machineIdentity: binding.machineIdentity)
  }

  private var newestGeneration: UInt64 {
    memory.withLock { $0.newest?.generation ?? 0 }
  }

  /// The vault as it is on disk; nil when nobody ever wrote one here.
  private func loadForReading() throws(VaultError) -> OpenVault? {
    let place = try place()
    guard let directory = try place.open() else { return nil }
    if let vault = try load(place, in: directory) { return vault }
    guard try !place.hasOtherMachines(in: directory) else {
      throw VaultError(.otherMachinesOnly, path: directory.path)
    }
    return nil
  }

  /// Reads the file, finds its key, and checks that it is authentic and not older than before.
  private func load(
    _ place: VaultPlace, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> OpenVault? {
    // Taken before the file is read: a write that comes between must not make this copy look old.
    let seen = memory.withLock { $0 }
    guard let bytes = try place.read(from: directory) else { return nil }
    let path = place.path
    let unverified = try located(at: path) { () throws(VaultError.Code) in try UnverifiedVaultFile(parsing: bytes) }
    let key = try key(of: unverified, seen: seen, in: directory, path: path)
    let file = try located(at: path) { () throws(VaultError.Code) in try unverified.verified(with: key) }
    guard file.generation >= seen.floor(for: file.header) else { throw VaultError(.rolledBack, path: path) }
    memory.withLock { $0.remember(file, key: key) }
    return OpenVault(file: file, key: key)
  }

  private func loadOrCreate(
    _ place: VaultPlace, in directory: borrowing PrivateDirectory
  ) throws(VaultError) -> OpenVault {
    if let vault = try load(place, in: directory) { return vault }
    return try .new(bound: binding, in: directory, path: place.path)
  }

  /// The key from memory if it is there, otherwise through a slot.
  private func key(
    of file: UnverifiedVaultFile, seen: VaultMemory, in directory: borrowing PrivateDirectory, path: String
  ) throws(VaultError) -> DataKey {
    if let key = seen.key(for: file.header) { return key }
    return try file.unlock(with: binding, in: directory, path: path)
  }

  private func store(
    _ vault: OpenVault, at place: VaultPlace, in directory: borrowing PrivateDirectory
  ) throws(VaultError) {
    let bytes = try located(at: place.path) { () throws(VaultError.Code) in try vault.file.encoded(with: vault.key) }
    try place.replace(in: directory, with: bytes)
    memory.withLock { $0.remember(vault.file, key: vault.key) }
  }
}
