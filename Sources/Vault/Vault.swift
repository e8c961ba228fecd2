package import Crypto
package import Platform
package import Vocabulary

/// The sealed store of the accounts' secrets, one file for each machine.
///
/// Every call sees the current file, so several vaults on one directory, in one process or in many, see each other's
/// writes. Any thread may call; calls block for I/O. After an error nothing on disk has changed, except that a write
/// whose last step failed may be complete.
///
/// Between calls the vault keeps the keys derived from the data key, on the secure heap, until
/// ``forgetKeys()`` or its end, and the last file, as sealed as on disk, so that it reads only what others wrote.
///
/// An older copy of the file is detected only while the same program runs: a copy that was restored while no program
/// ran is not.
package final class Vault: Sendable {
  /// One account's content, opened. Wiped when its owner releases it.
  package struct Record: ~Copyable, Sendable {
    /// The number of the write that made it. A later write, of any account, has a higher number.
    package let generation: UInt64
    /// The bytes as written.
    package let content: SecretBytes
  }

  let stateDirectory: String
  let lockWait: Duration
  let bindings: Bindings
  /// Makes and uses keys that never leave the TPM.
  package var keyDevice: any KeyDevice { bindings.tpm }
  let memory = Monitor(VaultMemory())
  let changes = ChangeQueue()
  /// The accounts whose lock this process has.
  let lockedAccounts = Monitor<Set<AccountName>>([])
  /// Kept open for the writes, while a refresh or a sign-in needs one that must not fail.
  package let descriptors = DescriptorReserve(count: Vault.descriptorsOfWrite)
  /// The most descriptors that a write needs at a time: the account's lock, the directory, the vault's lock, the file if
  /// another process has written it, the device secret that opens it or the temporary file, and the new file.
  private static let descriptorsOfWrite = 6

  /// Makes a vault for a directory. Nothing is read or written; the first write creates the directory.
  ///
  /// - Parameters:
  ///   - stateDirectory: An absolute path. An existing directory must belong to the user and be closed to others.
  ///   - machineIdentity: The machine id; nil if there is none.
  ///   - userID: The owner of the vault.
  ///   - lockWait: The longest wait of a write for other writers.
  ///   - tpm: The way to reach the TPM.
  ///   - cost: The cost of a new passphrase slot.
  package init(
    stateDirectory: String, machineIdentity: [UInt8]?, userID: UInt32, lockWait: Duration = .seconds(10),
    tpm: TPMAccess = .none, cost: Scrypt.Cost = .standard
  ) {
    self.stateDirectory = stateDirectory
    self.lockWait = lockWait
    bindings = Bindings(
      host: HostBinding(machineIdentity: machineIdentity, userID: userID), tpm: TPMBinding(tpm), cost: cost)
  }

  /// The accounts that have a record, in byte order.
  ///
  /// - Throws: `otherMachinesOnly` when this machine has no vault but others have one here.
  package func accounts() throws(VaultError) -> [AccountName] {
    try loadForReading()?.file.records.map(\.name) ?? []
  }

  /// Opens the record of one account, and no other; nil if there is none.
  ///
  /// - Throws: `otherMachinesOnly` when this machine has no vault but others have one here; `locked`
  ///   when the key of the account's protection is not in memory.
  package func read(_ account: AccountName) throws(VaultError) -> Record? {
    try snapshot()?.read(account)
  }

  /// The protection of an account's record; nil if there is none. It needs the device's key only.
  ///
  /// - Throws: `otherMachinesOnly` when this machine has no vault but others have one here.
  package func protection(of account: AccountName) throws(VaultError) -> Protection? {
    try loadForReading()?.file.record(of: account)?.protection
  }

  /// The generation of an account's record in the file with this stamp, without a look at the disk; nil if there is none,
  /// if its key is not in memory, or if the file is not the one that this vault read or wrote last. It never waits.
  package func generation(of account: AccountName, inFileWith stamp: FileStamp) -> UInt64? {
    memory.withLock { $0.generation(of: account, inFileWith: stamp) }
  }

  /// Replaces the content of an account. It is on disk when this returns.
  ///
  /// The first write creates the directory, the device secret and the vault. The account keeps its protection; a new
  /// account gets ``Protection/device``.
  ///
  /// - Parameters:
  ///   - label: The account's person, which can be read as soon as the device's key is there; nil leaves none.
  ///   - wait: The wait for another process; nil means the vault's own.
  /// - Returns: The generation of the new record, higher than any before.
  /// - Throws: `busy` if another process held the lock for the whole wait; `tooManyAccounts` if the vault is full;
  ///   `locked` if the key of the account's protection is not in memory.
  @discardableResult
  package func write(
    _ account: AccountName, content: borrowing SecretBytes, label: PersonLabel? = nil, wait: LockWait? = nil
  ) throws(VaultError) -> UInt64 {
    try put(account, content, label, protection: nil, wait)
  }

  /// Writes as ``write(_:content:label:)`` does, and changes the account's protection in the same write.
  ///
  /// - Throws: `locked` if the key of that protection is not in memory.
  @discardableResult
  package func write(
    _ account: AccountName, content: borrowing SecretBytes, label: PersonLabel? = nil, protection: Protection,
    wait: LockWait? = nil
  ) throws(VaultError) -> UInt64 {
    try put(account, content, label, protection: protection, wait)
  }

  /// Writes as ``write(_:content:label:)`` does, if the account's record is still the one of `generation`.
  ///
  /// - Returns: The generation of the new record; nil, and nothing is written, if the record is another one or gone.
  package func write(
    _ account: AccountName, content: borrowing SecretBytes, label: PersonLabel? = nil, protection: Protection? = nil,
    replacing generation: UInt64, wait: LockWait? = nil
  ) throws(VaultError) -> UInt64? {
    try changing(isShared: true, wait: wait) { (vault, _) throws(VaultError) in
      guard vault.file.record(of: account)?.generation == generation else { return nil }
      return try vault.put(account, content, label, protection: protection)
    }
  }

  /// Removes the record of an account, locked or not.
  ///
  /// - Parameter generation: The record that is meant; nil means any.
  /// - Returns: Whether it was there. Without a vault of this machine there is none.
  /// - Throws: `busy` when others kept the lock for too long.
  @discardableResult
  package func remove(_ account: AccountName, generation: UInt64? = nil) throws(VaultError) -> Bool {
    let removed: Bool? = try changing(isShared: true) { (vault, _) throws(VaultError) in
      guard let record = vault.file.record(of: account), record.generation == generation ?? record.generation else {
        return nil
      }
      vault.file.remove(account)
      return true
    }
    return removed ?? false
  }

  /// Overwrites the record of an account in the file, which needs no space. An overwritten record counts as absent.
  ///
  /// Unlike ``remove(_:generation:)`` it changes the file itself, so a power failure may leave a damaged record.
  /// - Returns: Whether it was there.
  package func erase(_ account: AccountName, generation: UInt64) throws(VaultError) -> Bool {
    let place = try place()
    var isErased = false
    try excludingWriters { (directory) throws(VaultError) in
      let record = try parse(place, in: directory)?.records.first { $0.name == account && $0.generation == generation }
      guard let record else { return }
      do throws(SystemError) {
        try directory.overwrite(record.sealed.indices, of: place.fileName, with: SealedRecord.erasedByte)
      } catch {
        throw VaultError(error, path: place.path)
      }
      isErased = true
    }
    return isErased
  }

  /// Takes the lock of one account, which every refresh of its tokens holds. It is advisory: it does not exclude
  /// reading and writing.
  ///
  /// - Throws: `busy` if another process held it for the whole wait, or the wait was given up; `busyHere` if this process
  ///   did.
  package func lockAccount(_ account: AccountName, _ wait: LockWait) throws(VaultError) -> AccountLock {
    try AccountLock(account, of: self, wait)
  }

  /// The random number of the vault, made at the first use of an installation. It is in the header and so authenticated
  /// with everything sealed: a record of another installation does not open with it.
  ///
  /// - Returns: 16 bytes, which are not secret; nil if there is no vault, or none that can be read.
  package func identifier() -> [UInt8]? {
    try? place().read().map { (bytes) throws(VaultError) in
      try UnverifiedVaultFile(parsing: bytes).header.identifier
    }
  }

  /// Wipes all keys. A running call keeps its keys until it ends; the next call loads them again.
  package func forgetKeys() {
    memory.withLock { $0.forgetKeys() }
  }
}

extension Vault {
  private func put(
    _ account: AccountName, _ content: borrowing SecretBytes, _ label: PersonLabel?, protection: Protection?,
    _ wait: LockWait?
  ) throws(VaultError) -> UInt64 {
    let generation: UInt64? = try changing(orCreating: true, isShared: true, wait: wait) {
      (vault, _) throws(VaultError) in
      try vault.put(account, content, label, protection: protection)
    }
    guard let generation else { preconditionFailure("a vault that is made is there") }
    return generation
  }
}

extension OpenVault {
  /// - Parameter protection: Nil keeps the one of the account's record; a new record gets that of the device.
  /// - Returns: The generation of the new record.
  fileprivate mutating func put(
    _ account: AccountName, _ content: borrowing SecretBytes, _ label: PersonLabel?, protection: Protection?
  ) throws(VaultError) -> UInt64 {
    let protection = protection ?? file.record(of: account)?.protection ?? .device
    let generation = file.generation
    let label = try deviceKey.seal(label, for: account)
    try file.put(key(of: protection).seal(content, label: label, for: account, generation: generation))
    return generation
  }
}
