package import Crypto
package import Platform
// The interface of Vault uses the types of Vocabulary.
@_exported public import Vocabulary

/// The encrypted store of the accounts' secrets, one file per machine.
///
/// Every call sees the current file, even if another process wrote it. Thread-safe; calls block for I/O. An error
/// leaves the disk unchanged, unless only the last step of a write failed.
///
/// Between calls, keeps the last encrypted file and, until ``forgetKeys()``, the keys on the secure heap. An older copy
/// is detected only if restored while this program runs.
package final class Vault: Sendable {
  /// The decrypted content of one account. Wiped when its owner releases it.
  package struct Record: ~Copyable, Sendable {
    /// The number of the write that created the record. Later writes, of any account, have higher numbers.
    package let generation: UInt64
    package let content: SecretBytes
  }

  let stateDirectory: String
  /// The default maximum wait for other writers.
  let lockWait: Duration
  let bindings: Bindings
  /// Generates and uses keys that never leave the TPM.
  package var keyDevice: any KeyDevice { bindings.tpm }
  let memory = Monitor(VaultMemory())
  let changes = ChangeQueue()
  /// The accounts whose lock this process holds.
  let lockedAccounts = Monitor<Set<AccountName>>([])
  /// Descriptors reserved for writes that must not fail.
  package let descriptors = DescriptorReserve(count: Vault.descriptorsOfWrite)
  /// The account's lock, the directory, the vault's lock, the old file, the device secret or temporary file, and the
  /// new file.
  private static let descriptorsOfWrite = 6

  /// Creates a vault without reading or writing anything.
  ///
  /// - Parameters:
  ///   - stateDirectory: An absolute path. An existing directory must belong to the user and be inaccessible to others.
  ///   - userID: The vault's owner.
  ///   - lockWait: How long a write waits for others. The default is less than callers wait.
  package init(
    stateDirectory: String, machineIdentity: [UInt8]?, userID: UInt32, lockWait: Duration = .seconds(100),
    tpm: TPMAccess = .none, cost: Scrypt.Cost = .standard
  ) {
    self.stateDirectory = stateDirectory
    self.lockWait = lockWait
    bindings = Bindings(
      host: HostBinding(machineIdentity: machineIdentity, userID: userID), tpm: TPMBinding(tpm), cost: cost)
  }

  /// The accounts with a record, in byte order.
  ///
  /// - Throws: `otherMachinesOnly` if only other machines have a vault.
  package func accounts() throws(VaultError) -> [AccountName] {
    try loadForReading()?.file.records.map(\.name) ?? []
  }

  /// An upper bound of the file's length in bytes. 0 if its content is not in memory.
  package var byteCount: Int { memory.withLock { $0.byteCount } }

  /// Decrypts an account's record; nil if there is none.
  ///
  /// - Throws: `otherMachinesOnly` if only other machines have a vault, or `locked` if the key of its level is not in
  ///   memory.
  package func read(_ account: AccountName) throws(VaultError) -> Record? {
    try snapshot()?.read(account)
  }

  /// The protection level of an account's record, if any. Needs only the device key.
  ///
  /// - Throws: `otherMachinesOnly` if only other machines have a vault.
  package func protection(of account: AccountName) throws(VaultError) -> Protection? {
    try loadForReading()?.file.record(of: account)?.protection
  }

  /// The generation of an account's record in the file with this stamp. Nil without a record, if its key is not in
  /// memory, or if this vault did not read or write that file last. Never blocks.
  package func generation(of account: AccountName, inFileWith stamp: FileStamp) -> UInt64? {
    memory.withLock { $0.generation(of: account, inFileWith: stamp) }
  }

  /// Replaces an account's content, which is on disk on return. The first write creates the directory, the device
  /// secret and the vault.
  ///
  /// - Parameters:
  ///   - label: The account's user, readable with only the device key. Nil removes it.
  ///   - protection: Nil keeps the account's level; a new account gets ``Protection/device``.
  ///   - wait: The maximum wait for other writers (default: the vault's).
  ///   - reserved: The file to write into, from ``reserveWrite(wait:)``.
  /// - Returns: The new record's generation.
  /// - Throws: `busy` if another process held the lock during the entire wait, `tooManyAccounts` if the vault is full,
  ///   or `locked` if the key of the level is not in memory.
  @discardableResult
  package func write(
    _ account: AccountName, content: borrowing SecretBytes, label: PersonLabel? = nil, protection: Protection? = nil,
    wait: LockWait? = nil, in reserved: ReservedFile? = nil
  ) throws(VaultError) -> UInt64 {
    let generation: UInt64? = try modify(orCreating: true, isShared: true, wait: wait, in: reserved) {
      (vault, _) throws(VaultError) in
      try vault.put(account, content, label, protection: protection)
    }
    guard let generation else { preconditionFailure("a vault that is made is there") }
    return generation
  }

  /// Like ``write(_:content:label:protection:wait:in:)``, but only if the account's record still has this `generation`.
  ///
  /// - Returns: The new record's generation, or nil if the old record was replaced or removed.
  package func write(
    _ account: AccountName, content: borrowing SecretBytes, label: PersonLabel? = nil, protection: Protection? = nil,
    replacing generation: UInt64, wait: LockWait? = nil
  ) throws(VaultError) -> UInt64? {
    try modify(isShared: true, wait: wait) { (vault, _) throws(VaultError) in
      guard vault.file.record(of: account)?.generation == generation else { return nil }
      return try vault.put(account, content, label, protection: protection)
    }
  }

  /// Removes an account's record, even if locked.
  ///
  /// - Parameter generation: Nil for any.
  /// - Returns: Whether there was such a record.
  /// - Throws: `busy` if others held the lock for too long.
  @discardableResult
  package func remove(_ account: AccountName, generation: UInt64? = nil) throws(VaultError) -> Bool {
    let removed: Bool? = try modify(isShared: true) { (vault, _) throws(VaultError) in
      guard let record = vault.file.record(of: account), record.generation == generation ?? record.generation else {
        return nil
      }
      vault.file.remove(account)
      return true
    }
    return removed ?? false
  }

  /// Overwrites an account's record in place, which needs no disk space. Overwritten records count as missing. A power
  /// failure may leave a damaged record.
  ///
  /// - Returns: Whether there was such a record.
  package func erase(_ account: AccountName, generation: UInt64) throws(VaultError) -> Bool {
    let location = try location()
    var isErased = false
    try withExclusiveAccess { (directory) throws(VaultError) in
      let record = try parse(location, in: directory)?.records.first {
        $0.name == account && $0.generation == generation
      }
      guard let record else { return }
      do throws(SystemError) {
        try directory.overwrite(record.sealed.indices, of: location.fileName, with: SealedRecord.erasedByte)
      } catch {
        throw VaultError(error, path: location.path)
      }
      isErased = true
    }
    return isErased
  }

  /// Acquires an account's advisory lock, which every refresh of its tokens must have.
  ///
  /// - Throws: `busy` if another process held it for the entire wait or the wait was abandoned, `busyInProcess` if this
  ///   process held it.
  package func lockAccount(_ account: AccountName, _ wait: LockWait) throws(VaultError) -> AccountLock {
    try AccountLock(account, of: self, wait)
  }

  /// 16 bytes, not secret. Nil without a vault.
  package func identifier() throws(VaultError) -> [UInt8]? {
    try location().read().map { (bytes) throws(VaultError) in
      try UnverifiedVaultFile(parsing: bytes).header.identifier
    }
  }

  /// Wipes all keys. The next call can load only the device key again. A call in progress keeps its keys.
  package func forgetKeys() {
    memory.withLock { $0.forgetKeys() }
  }
}

extension OpenVault {
  /// Encrypts a record, adds it to the vault and returns its generation.
  ///
  /// - Parameter protection: Nil keeps the account's level; a new account gets ``Protection/device``.
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
