internal import Platform
internal import Vault

/// Accounts whose settings and records exist only in this process. Thread-safe.
package final class EphemeralAccounts: Sendable {
  private struct Entry {
    var configuration: AccountConfiguration
    var record: AccountRecord?
    var generation: UInt64 = 0
  }

  private let entries = Monitor<[AccountName: Entry]>([:])
  private let selection = Monitor<(active: AccountName?, previous: AccountName?)>((nil, nil))

  /// Overrides the active account of the settings file.
  package var active: AccountName? { selection.withLock { $0.active } }

  /// The previously active account, if ephemeral.
  package var previous: AccountName? { selection.withLock { $0.previous } }

  /// Makes an ephemeral account active, or that of the settings file if nil.
  package func activate(_ account: AccountName?) {
    selection.withLock { if account == nil || $0.active != account { $0 = (account, $0.active) } }
  }

  /// In byte order of the names.
  package var accounts: [(name: AccountName, configuration: AccountConfiguration)] {
    entries.withLock { entries in entries.map { ($0.key, $0.value.configuration) } }.sorted { $0.0 < $1.0 }
  }

  package func contains(_ account: AccountName) -> Bool { entries.withLock { $0[account] != nil } }

  func set(_ configuration: AccountConfiguration, for account: AccountName) {
    entries.withLock { $0[account, default: Entry(configuration: configuration)].configuration = configuration }
  }

  func record(of account: AccountName) -> StoredRecord? {
    entries.withLock { entries in
      entries[account].flatMap { entry in
        entry.record.map { StoredRecord(record: $0, generation: entry.generation) }
      }
    }
  }

  /// Replaces the record of generation `replaced` (any if nil). Returns the new generation, or nil if the account or
  /// record is gone.
  func write(_ record: AccountRecord, of account: AccountName, replacing replaced: UInt64?) -> UInt64? {
    entries.withLock { entries in
      guard let entry = entries[account], replaced == nil || entry.record != nil && entry.generation == replaced
      else { return nil }
      entries[account]?.record = record
      entries[account]?.generation += 1
      return entry.generation + 1
    }
  }

  package func remove(_ account: AccountName) {
    entries.withLock { $0[account] = nil }
    selection.withLock {
      if $0.active == account { $0.active = nil }
      if $0.previous == account { $0.previous = nil }
    }
  }
}

extension SessionServices {
  /// Services without access to account files. The account may not exist yet.
  package func forEphemeralAccount() -> SessionServices {
    var services = self
    services.isEphemeral = true
    return services
  }

  func isEphemeral(_ account: AccountName) -> Bool { isEphemeral || ephemeral.contains(account) }

  /// Makes a record unusable even on a full disk, unless replaced. Returns whether it existed.
  func erase(_ stored: StoredRecord, of account: AccountName) throws(SessionError) -> Bool {
    try mapVaultError(vault.erase(account, generation: stored.generation))
  }

  /// Returns false if the record was replaced.
  func remove(_ stored: StoredRecord, of account: AccountName) throws(SessionError) -> Bool {
    guard !isEphemeral(account) else {
      ephemeral.remove(account)
      return true
    }
    if try mapVaultError(vault.remove(account, generation: stored.generation)) { return true }
    return try mapVaultError(vault.protection(of: account)) == nil
  }
}
