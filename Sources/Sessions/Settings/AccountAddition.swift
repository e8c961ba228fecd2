internal import Vault
package import Vocabulary

/// Sets an account up without signing in. Blocking.
package struct AccountAddition: Sendable {
  package let account: AccountName
  package let configuration: AccountConfiguration
  package let services: SessionServices
  package let settingsDirectory: String

  package init(
    account: AccountName, configuration: AccountConfiguration, services: SessionServices, settingsDirectory: String
  ) {
    self.account = account
    self.configuration = configuration
    self.services = services
    self.settingsDirectory = settingsDirectory
  }

  /// - Returns: The settings with the new account.
  /// - Throws: `accountExists`; what is wrong with the account's settings.
  package func run() throws(SessionError) -> Settings {
    try AccountAccess.check(configuration)
    try configuration.checkPublished()
    return try services.holding(account) { () throws(SessionError) in try add() }
  }

  private func add() throws(SessionError) -> Settings {
    let file = SettingsFile(directory: settingsDirectory)
    try settings { () throws(ConfigurationError) in try file.current().checkAbsence(of: account) }
    try services.removeLeftover(of: account)
    return try settings { () throws(ConfigurationError) in
      try file.change { (settings) throws(ConfigurationError) in
        try settings.checkAbsence(of: account)
        try settings.add(configuration, as: account)
      }
    }
  }
}

extension Settings {
  func checkAbsence(of account: AccountName) throws(ConfigurationError) {
    if self[account] != nil { throw ConfigurationError(.accountExists, account.text) }
  }
}

extension SessionServices {
  /// Drops a record whose account the settings do not know: a rename or an import was cut off, and the
  /// refresh token in it may have been spent since.
  func removeLeftover(of account: AccountName) throws(SessionError) {
    _ = try storing { (vault) throws(VaultError) in try vault.remove(account) }
    // Only now: a token that could not be written yet is the one that counts as long as the record is there.
    unstored[account] = nil
  }
}

/// Gives an error of the settings the shape of a session error.
func settings<Result>(_ body: () throws(ConfigurationError) -> Result) throws(SessionError) -> Result {
  do { return try body() } catch { throw .configuration(error) }
}
