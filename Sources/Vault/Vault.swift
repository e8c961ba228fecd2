package import Crypto
package import Platform
// Vault's interface uses Vocabulary's types.
@_exported public import Vocabulary

/// The encrypted store of the accounts' secrets, one file per machine.
///
/// Calls see other processes' writes, block for I/O and are thread-safe. An error leaves the disk unchanged, unless
/// only a write's final step failed.
///
/// Between calls, keeps the encrypted file and, until ``forgetKeys()``, the keys on the secure heap. An older copy is
/// detected only if restored while this program runs.
package final class Vault: Sendable {
  /// An account's decrypted content, wiped on release.
  package struct Record: ~Copyable, Sendable {
    /// Increases with each write of any account.
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
  let lockedAccounts = Monitor<Set<AccountName>>([])
  /// Descriptors reserved for writes that must not fail.
  package let descriptors = DescriptorReserve(count: Vault.descriptorsOfWrite)
  /// The account's lock, directory, vault's lock, old file, device secret or temporary file, and new file.
  private static let descriptorsOfWrite = 6

  /// Creates a vault without I/O.
  ///
  /// - Parameters:
  ///   - stateDirectory: Absolute. If it exists, it must belong to the user and be inaccessible to others.
  ///   - lockWait: The maximum wait for other writers, by default below the callers' timeout.
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
  /// - Throws: `otherMachinesOnly`.
  package func accounts() throws(VaultError) -> [AccountName] {
    try loadForReading()?.file.records.map(\.name) ?? []
  }

  /// An upper bound of the file's bytes; 0 if not in memory.
  package var byteCount: Int { memory.withLock { $0.byteCount } }

  /// Decrypts an account's record; nil if there is none.
  ///
  /// - Throws: `otherMachinesOnly`, or `locked` if the level's key is not in memory.
  package func read(_ account: AccountName) throws(VaultError) -> Record? {
    try snapshot()?.read(account)
  }

  /// The protection level of an account's record, if any. Needs only the device key.
  ///
  /// - Throws: `otherMachinesOnly`.
  package func protection(of account: AccountName) throws(VaultError) -> Protection? {
    try loadForReading()?.file.record(of: account)?.protection
  }

  /// The generation of an account's record in the file with this stamp. Nil if the file in memory has another stamp, or
  /// without the record or its key in memory. Never blocks.
  package func generation(of account: AccountName, inFileWith stamp: FileStamp) -> UInt64? {
    memory.withLock { $0.generation(of: account, inFileWith: stamp) }
  }

  /// Replaces an account's content durably. The first write creates the directory, device secret and vault.
  ///
  /// - Parameters:
  ///   - label: The account's user, readable with only the device key. Nil removes it.
  ///   - protection: Nil keeps the account's level; a new account gets ``Protection/device``.
  ///   - wait: Nil for the vault's default.
  ///   - reserved: The file to write into, from ``reserveWrite(wait:)``.
  /// - Returns: The new generation.
  /// - Throws: `busy`, `tooManyAccounts`, or `locked` if the level's key is not in memory.
  @discardableResult
  package func write(
    _ account: AccountName, content: borrowing SecretBytes, label: PersonLabel? = nil, protection: Protection? = nil,
    wait: LockWait? = nil, in reserved: ReservedFile? = nil
  ) throws(VaultError) -> UInt64 {
    let generation: UInt64? = try modify(orCreating: true, isShared: true, wait: wait, in: reserved) {
      (vault, _) throws(VaultError) in
      try vault.put(account, content, label, protection: protection)
    }
    guard let generation else { preconditionFailure("a created vault must exist") }
    return generation
  }

  /// Like ``write(_:content:label:protection:wait:in:)``, but only if the account's record still has this `generation`.
  ///
  /// - Returns: The new generation, or nil if the old record was replaced or removed.
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
  /// - Throws: `busy`.
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

  /// Overwrites an account's record in place, which needs no disk space. The record then counts as missing. A power
  /// failure may leave it damaged.
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

  /// Acquires an account's advisory lock, required for every refresh of its tokens.
  ///
  /// - Throws: `busy`, also if the wait was abandoned, or `busyInProcess`.
  package func lockAccount(_ account: AccountName, _ wait: LockWait) throws(VaultError) -> AccountLock {
    try AccountLock(account, of: self, wait)
  }

  /// The vault's 16-byte identifier, not secret; nil without a vault.
  package func identifier() throws(VaultError) -> [UInt8]? {
    try location().read().map { (bytes) throws(VaultError) in
      try UnverifiedVaultFile(parsing: bytes).header.identifier
    }
  }

  /// Wipes all keys, except those of calls in progress. Later calls can reload only the device key.
  package func forgetKeys() {
    memory.withLock { $0.forgetKeys() }
  }
}

extension OpenVault {
  /// Returns the record's generation.
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
