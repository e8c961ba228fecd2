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

  let stateDirectory: String
  let lockWait: Duration
  let bindings: Bindings
  let memory = Monitor(VaultMemory())

  /// Names a vault. Nothing is read or written; the directory is made at the first write.
  ///
  /// - Parameters:
  ///   - stateDirectory: An absolute path. If it exists it must be the user's own and closed to others.
  ///   - machineIdentity: What tells this machine from others; nil where there is nothing.
  ///   - userID: The user that the vault belongs to.
  ///   - lockWait: How long a write waits for the writes of others.
  ///   - tpm: How the TPM is reached.
  ///   - cost: What a new passphrase slot costs.
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

  /// Opens the record of one account, and no other; nil when there is none.
  ///
  /// - Throws: `otherMachinesOnly` when this machine has no vault but others have one here; `locked`
  ///   when the key of the account's protection is not in memory.
  package func read(_ account: AccountName) throws(VaultError) -> Record? {
    try snapshot()?.read(account)
  }

  /// How the record of an account opens; nil when there is none. It needs the device's key only.
  ///
  /// - Throws: `otherMachinesOnly` when this machine has no vault but others have one here.
  package func protection(of account: AccountName) throws(VaultError) -> Protection? {
    try loadForReading()?.file.record(of: account)?.protection
  }

  /// Puts `content` in the place of what the account had. It is on disk when this returns.
  ///
  /// The first write makes the directory, the device secret and the vault. The account keeps its
  /// protection; a new one has that of the device.
  ///
  /// - Returns: The generation of the new record, higher than any before.
  /// - Throws: `busy` when others kept the lock for too long; `tooManyAccounts` when the vault is full;
  ///   `locked` when the key of the account's protection is not in memory.
  @discardableResult
  package func write(_ account: AccountName, content: borrowing SecretBytes) throws(VaultError) -> UInt64 {
    try put(account, content, protection: nil)
  }

  /// Writes as ``write(_:content:)`` does, and gives the account this protection from now on. What
  /// was sealed under the old one goes with the same write.
  ///
  /// - Throws: `locked` when the key of that protection is not in memory.
  @discardableResult
  package func write(
    _ account: AccountName, content: borrowing SecretBytes, protection: Protection
  ) throws(VaultError) -> UInt64 {
    try put(account, content, protection: protection)
  }

  /// Drops the record of an account, locked or not.
  ///
  /// - Returns: Whether there was one. Without a vault of this machine there is none.
  /// - Throws: `busy` when others kept the lock for too long.
  @discardableResult
  package func remove(_ account: AccountName) throws(VaultError) -> Bool {
    let removed: Bool? = try changing { (vault, _) throws(VaultError) in
      guard vault.file.record(of: account) != nil else { return nil }
      vault.file.remove(account)
      return true
    }
    return removed ?? false
  }

  /// Takes the lock of one account, which whoever refreshes its tokens holds. It binds only those
  /// who ask for it, and says nothing about reading and writing.
  ///
  /// - Parameter wait: The longest wait; zero tries once.
  /// - Throws: `busy` when it was taken the whole time.
  package func lockAccount(_ account: AccountName, wait: Duration) throws(VaultError) -> FileLock {
    try AccountLocks(stateDirectory: stateDirectory).lock(account, wait: wait)
  }

  /// The random number that the vault got when it was made, at the first use of an installation. It is in the header, so
  /// it is authenticated with all that is sealed: what another installation sealed never opens under this number.
  ///
  /// - Returns: 16 bytes, which are not secret; nil where there is no vault, or none that can be read.
  package func identifier() -> [UInt8]? {
    try? place().read().map { (bytes) throws(VaultError.Code) in
      try UnverifiedVaultFile(parsing: bytes).header.identifier
    }
  }

  /// Wipes all keys. A call under way ends with those it has; the next one gets them anew.
  package func forgetKeys() {
    memory.withLock { $0.forgetKeys() }
  }
}

extension Vault {
  private func put(
    _ account: AccountName, _ content: borrowing SecretBytes, protection: Protection?
  ) throws(VaultError) -> UInt64 {
    let path = try place().path
    let generation: UInt64? = try changing(orCreating: true) { (vault, _) throws(VaultError) in
      try located(at: path) { () throws(VaultError.Code) in
        let protection = protection ?? vault.file.record(of: account)?.protection ?? .device
        let generation = vault.file.generation
        try vault.file.put(vault.key(of: protection).seal(content, for: account, generation: generation))
        return generation
      }
    }
    guard let generation else { preconditionFailure("a vault that is made is there") }
    return generation
  }
}
