internal import Vault
package import Vocabulary

/// Gives an account another name. Blocking.
///
/// An interruption between any two steps leaves the whole session under one of the two names. It may also leave a
/// second copy of the record under a name that the settings do not have. Nothing uses that copy: the name must be set
/// up first, which drops the copy.
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
    /// The number of the new record; nil when there was none to move.
    package let recordGeneration: UInt64?
  }

  /// - Throws: `accountExists` when the new name is taken, if only by the account itself, `accountChanged` when the old
  ///   one is gone.
  package func run() throws(SessionError) -> Outcome {
    // A second lock of the same account would wait for the first.
    guard old != new else { throw .configuration(ConfigurationError(.accountExists, new.text)) }
    let (first, second) = old < new ? (old, new) : (new, old)
    return try services.holding(first) { () throws(SessionError) in
      try services.holding(second) { () throws(SessionError) in try move() }
    }
  }

  private func move() throws(SessionError) -> Outcome {
    let file = SettingsFile(directory: settingsDirectory)
    try settings { () throws(ConfigurationError) in try check(try file.current()) }
    let generation = try copyRecord()
    let renamed: Settings
    do {
      renamed = try renameSettings(file)
    } catch {
      // Only tidiness: see above. A write whose last step failed has taken place all the same, and then the new
      // record is the one that counts.
      if generation != nil, isUnknown(new) { try? services.removeLeftover(of: new) }
      throw error
    }
    // The new name works from here on; that the old record stays is no reason to call it a failure.
    try? dropOldRecord()
    return Outcome(settings: renamed, recordGeneration: generation)
  }

  private func check(_ settings: Settings) throws(ConfigurationError) {
    guard settings[old] != nil else { throw ConfigurationError(.accountChanged, old.text) }
    try settings.checkAbsence(of: new)
  }

  /// Whether the settings on disk are there and do not know a name.
  private func isUnknown(_ name: AccountName) -> Bool {
    guard let settings = try? SettingsFile(directory: settingsDirectory).current() else { return false }
    return !settings.accounts.isEmpty && settings[name] == nil
  }

  /// The first step.
  func copyRecord() throws(SessionError) -> UInt64? {
    guard let record = try services.recordToReplace(of: old) else {
      try services.removeLeftover(of: new)
      return nil
    }
    return try services.write(record, of: new, protection: try services.protection(of: old) ?? .device)
  }

  /// The second step, from which on the new name counts.
  func renameSettings(_ file: SettingsFile) throws(SessionError) -> Settings {
    try settings { () throws(ConfigurationError) in
      try file.change { (settings) throws(ConfigurationError) in
        try check(settings)
        settings.rename(old, to: new)
      }
    }
  }

  /// The last step.
  func dropOldRecord() throws(SessionError) {
    try services.removeLeftover(of: old)
  }
}
