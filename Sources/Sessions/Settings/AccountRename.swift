package import Vocabulary

/// Renames an account. Blocking.
///
/// An interruption leaves the complete session under one of the two names, and maybe an unused copy of the record under
/// the other. A pending revocation of an earlier account with the new name moves to another name.
package struct AccountRename: Sendable {
  package let old: AccountName
  package let new: AccountName
  package let services: SessionServices
  package let settingsDirectory: String

  package init(from old: AccountName, to new: AccountName, services: SessionServices, settingsDirectory: String) {
    self.old = old
    self.new = new
    self.services = services
    self.settingsDirectory = settingsDirectory
  }

  package struct Outcome: Sendable {
    package let settings: Settings
    /// The generation of the new record, or nil if there was no record.
    package let recordGeneration: UInt64?
  }

  /// - Parameter isGivenUp: Whether to stop waiting for another program's lock.
  /// - Throws: `accountExists` if the new name is in use, even by the account itself, or `accountChanged` if the
  ///   account no longer exists.
  package func run(unless isGivenUp: () -> Bool = { false }) throws(SessionError) -> Outcome {
    // Locking the same account twice would deadlock.
    guard old != new else { throw .configuration(ConfigurationError(.accountExists, new.text)) }
    let (first, second) = old < new ? (old, new) : (new, old)
    return try services.holding(first) { () throws(SessionError) in
      try services.holding(second) { () throws(SessionError) in try move(unless: isGivenUp) }
    }
  }

  private func move(unless isGivenUp: () -> Bool) throws(SessionError) -> Outcome {
    let file = SettingsFile(directory: settingsDirectory)
    try settings { () throws(ConfigurationError) in try check(try file.current()) }
    let generation = try copyRecord()
    let renamed: Settings
    do {
      renamed = try renameSettings(file, unless: isGivenUp)
    } catch {
      // Only a cleanup: if just the last step of the write failed, the rename has taken effect, and the new record is
      // valid.
      if generation != nil, isUnknown(new) { try? services.removeLeftover(of: new) }
      throw error
    }
    // The new name is valid now, so failing to remove the old record is not an error.
    try? dropOldRecord()
    return Outcome(settings: renamed, recordGeneration: generation)
  }

  /// Throws unless the old name exists and the new one is free.
  private func check(_ settings: Settings) throws(ConfigurationError) {
    guard settings[old] != nil else { throw ConfigurationError(.accountChanged, old.text) }
    try settings.checkAbsence(of: new)
  }

  /// Whether the settings on disk are readable and do not contain the account.
  private func isUnknown(_ name: AccountName) -> Bool {
    guard let settings = try? SettingsFile(directory: settingsDirectory).current() else { return false }
    return !settings.accounts.isEmpty && settings[name] == nil
  }

  /// The first step: copies the record to the new name.
  func copyRecord() throws(SessionError) -> UInt64? {
    let record = try services.recordToReplace(of: old)
    try services.vacate(new)
    guard let record else { return nil }
    return try services.write(record, of: new, protection: try services.protection(of: old) ?? .device)
  }

  /// The second step: renames the account in the settings. The new name is then valid.
  func renameSettings(
    _ file: SettingsFile, unless isGivenUp: () -> Bool = { false }
  ) throws(SessionError) -> Settings {
    try settings { () throws(ConfigurationError) in
      try file.change(unless: isGivenUp) { (settings) throws(ConfigurationError) in
        try check(settings)
        settings.rename(old, to: new)
      }
    }
  }

  /// The last step: removes the old record.
  func dropOldRecord() throws(SessionError) {
    try services.removeLeftover(of: old)
  }
}
