internal import Vault

/// A pending revocation in memory: the account is ephemeral, or the disk is full. Retried when the process ends.
struct UnwrittenRevocation: Sendable {
  var record: AccountRecord
  let configuration: AccountConfiguration?
  /// Nil for an ephemeral account.
  let protection: Protection?
}

extension SessionServices {
  /// The accounts with pending revocations, except those at a locked level. Blocking.
  package func accountsToRevoke() -> [AccountName] {
    let unwritten = unwrittenRevocations.accounts
    guard let names = try? vault.accounts(), let snapshot = try? snapshot() else { return unwritten }
    let written = names.filter { name in (try? record(of: name, in: snapshot))?.revocation != nil }
    return unwritten + written.filter { !unwritten.contains($0) }
  }

  /// An operation for ``SignOutOperation/revokePending(subject:)``. `configuration` is the current one, if any.
  package func pendingRevocation(
    of account: AccountName, _ configuration: AccountConfiguration? = nil
  ) -> SignOutOperation {
    let entry = unwrittenRevocations[account]
    let isWithoutFiles = entry.map { $0.protection == nil } ?? false
    return SignOutOperation(
      account: account, configuration: entry?.configuration ?? configuration, grant: nil, isLocal: false,
      services: isWithoutFiles ? forEphemeralAccount() : self)
  }

  /// Keeps a pending revocation.
  package func removeEphemeral(_ account: AccountName) {
    if let record = ephemeral.record(of: account)?.record, record.revocation != nil {
      let configuration = ephemeral.accounts.first { $0.name == account }?.configuration
      unwrittenRevocations[account] = .init(record: record, configuration: configuration, protection: nil)
    }
    ephemeral.remove(account)
  }

  /// The record with the pending revocation, if any. Writes it if only in memory. The caller must have locked the
  /// account.
  func loadRecordToRevoke(
    of account: AccountName, wait: LockWait? = lockWait()
  ) throws(SessionError) -> StoredRecord? {
    let stored = try storedRecord(of: account)
    guard let entry = unwrittenRevocations[account] else { return stored?.record.revocation == nil ? nil : stored }
    if let stored, !stored.record.isSignedOut {
      // A new session is left alone, as with an `UnwrittenRecord`.
      unwrittenRevocations[account] = nil
      return nil
    }
    if let protection = entry.protection,
      let generation = try? write(entry.record, of: account, protection: protection, wait: wait)
    {
      unwrittenRevocations[account] = nil
      return StoredRecord(record: entry.record, generation: generation)
    }
    return StoredRecord(record: entry.record, generation: 0)
  }

  /// Replaces a record returned by ``loadRecordToRevoke(of:wait:)``, on disk or in memory.
  func update(
    _ record: AccountRecord, toRevoke account: AccountName, replacing generation: UInt64
  ) throws(SessionError) -> StoredRecord {
    guard unwrittenRevocations[account] == nil else {
      unwrittenRevocations[account]?.record = record
      return StoredRecord(record: record, generation: generation)
    }
    return StoredRecord(
      record: record, generation: try write(record, of: account, replacing: generation, wait: nil))
  }

  /// Moves a name's pending revocation and removes its record. The caller must have locked the account.
  func vacate(_ account: AccountName) throws(SessionError) {
    movePendingRevocation(of: account)
    try removeLeftover(of: account)
  }

  /// Copies a pending revocation to an unused name, or into memory. The caller must have locked the account.
  func movePendingRevocation(of account: AccountName) {
    guard let record = try? record(of: account), record.revocation != nil else { return }
    let names = Set(((try? vault.accounts()) ?? []) + unwrittenRevocations.accounts)
    let protection = (try? protection(of: account)) ?? .device
    var number = 1
    while let name = try? AccountName("\(account.text.prefix(48)).removed-\(number)") {
      number += 1
      if names.contains(name) { continue }
      if (try? write(record, of: name, protection: protection)) == nil {
        unwrittenRevocations[name] = .init(record: record, configuration: nil, protection: protection)
      }
      return
    }
  }
}
