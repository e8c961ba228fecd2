internal import Platform
internal import Vault
package import Vocabulary

/// Pending revocations that are only in memory: of accounts without files, and of sign-outs on a full disk. They are
/// written as soon as there is space, attempted once more when the process ends, and lost if it is killed.
///
/// Shared by all accounts; thread-safe.
final class UnwrittenRevocations: Sendable {
  struct Entry {
    var record: AccountRecord
    /// The settings at the sign-out, if known.
    let configuration: AccountConfiguration?
    /// The protection of the record. Nil for an account without files.
    let protection: Protection?
  }

  private let entries = Monitor<[AccountName: Entry]>([:])

  subscript(account: AccountName) -> Entry? {
    get { entries.withLock { $0[account] } }
    set { entries.withLock { $0[account] = newValue } }
  }

  var accounts: [AccountName] { entries.withLock { Array($0.keys) } }
}

extension SessionServices {
  /// The accounts with pending revocations, without those at a locked level. Blocking.
  package func accountsToRevoke() -> [AccountName] {
    let unwritten = unwritten.accounts
    guard let names = try? vault.accounts(), let snapshot = try? snapshot() else { return unwritten }
    let written = names.filter { name in (try? record(of: name, in: snapshot))?.revocation != nil }
    return unwritten + written.filter { !unwritten.contains($0) }
  }

  /// The operation that revokes the tokens of an ended session. Call its ``SignOutOperation/revokeOwed(subject:)``.
  ///
  /// - Parameter configuration: The account's current settings, if any.
  package func pendingRevocation(
    of account: AccountName, _ configuration: AccountConfiguration? = nil
  ) -> SignOutOperation {
    let entry = unwritten[account]
    let isWithoutFiles = entry.map { $0.protection == nil } ?? false
    return SignOutOperation(
      account: account, configuration: entry?.configuration ?? configuration, grant: nil, isLocal: false,
      services: isWithoutFiles ? ephemerally() : self)
  }

  /// Removes an account without files, but keeps a pending revocation.
  package func removeEphemeral(_ account: AccountName) {
    if let record = ephemeral.record(of: account)?.record, record.revocation != nil {
      let configuration = ephemeral.accounts.first { $0.name == account }?.configuration
      unwritten[account] = .init(record: record, configuration: configuration, protection: nil)
    }
    ephemeral.remove(account)
  }

  /// The record with the account's pending revocation. If it is only in memory, writes it if there is space. The
  /// caller holds the account's lock.
  ///
  /// - Parameter wait: How long to wait for another process with the vault's lock.
  func recordToRevoke(
    of account: AccountName, wait: LockWait? = lockWait()
  ) throws(SessionError) -> StoredRecord? {
    let stored = try storedRecord(of: account)
    guard let entry = unwritten[account] else { return stored?.record.revocation == nil ? nil : stored }
    if let stored, !stored.record.isSignedOut {
      // A new session must stay: some servers end it if any of the account's tokens is revoked.
      unwritten[account] = nil
      return nil
    }
    if let protection = entry.protection,
      let generation = try? write(entry.record, of: account, protection: protection, wait: wait)
    {
      unwritten[account] = nil
      return StoredRecord(record: entry.record, generation: generation)
    }
    return StoredRecord(record: entry.record, generation: 0)
  }

  /// Replaces a record returned by ``recordToRevoke(of:)``, on disk or in memory.
  func update(
    _ record: AccountRecord, toRevoke account: AccountName, replacing generation: UInt64
  ) throws(SessionError) -> StoredRecord {
    guard unwritten[account] == nil else {
      unwritten[account]?.record = record
      return StoredRecord(record: record, generation: generation)
    }
    return StoredRecord(
      record: record, generation: try write(record, of: account, replacing: generation, wait: nil))
  }

  /// Removes the leftover record of a name that another account is about to get, after
  /// ``movePendingRevocation(of:)``. The caller holds the account's lock.
  func vacate(_ account: AccountName) throws(SessionError) {
    movePendingRevocation(of: account)
    try removeLeftover(of: account)
  }

  /// Copies a pending revocation of an account whose record is about to be removed or replaced to a name without a
  /// record. If it cannot be written, keeps it in memory. The caller holds the account's lock.
  func movePendingRevocation(of account: AccountName) {
    guard let record = try? record(of: account), record.revocation != nil else { return }
    let names = Set(((try? vault.accounts()) ?? []) + unwritten.accounts)
    let protection = (try? protection(of: account)) ?? .device
    var number = 1
    while let name = try? AccountName("\(account.text.prefix(48)).removed-\(number)") {
      number += 1
      if names.contains(name) { continue }
      if (try? write(record, of: name, protection: protection)) == nil {
        unwritten[name] = .init(record: record, configuration: nil, protection: protection)
      }
      return
    }
  }
}
