package struct RenamedAccount: Sendable {
  package let settings: Settings
  /// Nil if there was no record.
  package let recordGeneration: UInt64?
}

extension SessionServices {
  /// Renames an account. Blocking; `isGivenUp` ends the wait for the lock. Throws `accountExists` if the new name is in
  /// use, or `accountChanged` if the old one is not.
  ///
  /// An interruption leaves the session under one name, and maybe an unused copy under the other. A pending revocation
  /// under the new name moves to a third name.
  package func rename(
    _ old: AccountName, to new: AccountName, unless isGivenUp: () -> Bool = { false }
  ) throws(SessionError) -> RenamedAccount {
    // Locking the same account twice would deadlock.
    guard old != new else { throw .configuration(ConfigurationError(.accountExists, new.text)) }
    let (first, second) = old < new ? (old, new) : (new, old)
    return try withAccountLock(first) { () throws(SessionError) in
      try withAccountLock(second) { () throws(SessionError) in try move(old, to: new, unless: isGivenUp) }
    }
  }

  /// Both names must be locked.
  private func move(
    _ old: AccountName, to new: AccountName, unless isGivenUp: () -> Bool
  ) throws(SessionError) -> RenamedAccount {
    try mapConfigurationError(check(settingsFile.current(), old, new))
    let generation = try copyRecord(of: old, to: new)
    let renamed: Settings
    do {
      renamed = try renameSettings(of: old, to: new, unless: isGivenUp)
    } catch {
      // If only the last step of the write failed, the new name is valid.
      if generation != nil, isUnknown(new) { try? removeLeftover(of: new) }
      throw error
    }
    try? removeLeftover(of: old)
    return RenamedAccount(settings: renamed, recordGeneration: generation)
  }

  private func check(_ settings: Settings, _ old: AccountName, _ new: AccountName) throws(ConfigurationError) {
    guard settings[old] != nil else { throw ConfigurationError(.accountChanged, old.text) }
    try settings.checkAbsence(of: new)
  }

  /// Whether the settings on disk are readable and lack the account.
  private func isUnknown(_ name: AccountName) -> Bool {
    guard let settings = try? settingsFile.current() else { return false }
    return !settings.accounts.isEmpty && settings[name] == nil
  }

  /// Returns the copy's generation, or nil without a record.
  func copyRecord(of old: AccountName, to new: AccountName) throws(SessionError) -> UInt64? {
    let record = try recordToReplace(of: old)
    try vacate(new)
    guard let record else { return nil }
    return try write(record, of: new, protection: try protection(of: old) ?? .device)
  }

  func renameSettings(
    of old: AccountName, to new: AccountName, unless isGivenUp: () -> Bool = { false }
  ) throws(SessionError) -> Settings {
    try changeSettings(unless: isGivenUp) { (settings) throws(ConfigurationError) in
      try check(settings, old, new)
      settings.rename(old, to: new)
    }
  }
}
