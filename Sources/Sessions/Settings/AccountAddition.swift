internal import Vault
package import Vocabulary

/// Adds an account without signing in. Blocking.
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
  /// - Throws: `accountExists`, or the problem with the account's settings.
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
  /// Removes a record of an account that is not in the settings, left by an interrupted rename or import. Its refresh
  /// token may have been spent since.
  func removeLeftover(of account: AccountName) throws(SessionError) {
    _ = try storing { (vault) throws(VaultError) in try vault.remove(account) }
    // Not earlier: as long as the record exists, a token that could not be written yet is the valid one.
    unstored[account] = nil
  }
}

/// Runs `body` and wraps its error.
func settings<Result>(_ body: () throws(ConfigurationError) -> Result) throws(SessionError) -> Result {
  do { return try body() } catch { throw .configuration(error) }
}
