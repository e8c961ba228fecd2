import Platform
import Sessions
import TestSupport
import Vault
import Vocabulary

/// The settings next to the vault, for operations that change both.
extension Home {
  var settingsDirectory: String { directory.path("config") }

  var settingsFile: SettingsFile { SettingsFile(directory: settingsDirectory) }

  func settings() throws -> Settings { try settingsFile.current() }

  /// Writes the account's settings to disk.
  func addSettings(
    _ configuration: AccountConfiguration = Home.configuration, for account: AccountName? = nil
  ) throws {
    _ = try settingsFile.change { (settings) throws(ConfigurationError) in
      try settings.set(configuration, for: account ?? self.account)
    }
  }

  /// Writes settings with the maximum number of other accounts.
  func fillSettings() throws {
    let names = (0..<Settings.maximumAccounts).map {
      #""account-\#($0)":{"issuer":"https://as.example","client_id":"c"}"#
    }
    let text = #"{"version":2,"accounts":{\#(names.joined(separator: ","))}}"#
    try PrivateDirectory(opening: settingsDirectory, create: true).replaceFile(
      "config.json", with: Array(text.utf8).span)
  }

  /// An account's refresh token in the vault; nil without a record.
  func refreshToken(of account: AccountName) throws -> String? {
    try otherProcess().record(of: account).map { $0.refreshToken?.text ?? "" }
  }
}
