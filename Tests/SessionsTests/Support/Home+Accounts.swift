import Platform
import Sessions
import TestSupport
import Vault
import Vocabulary

/// The settings beside the vault, for what changes both.
extension Home {
  var settingsDirectory: String { directory.path("config") }

  var settingsFile: SettingsFile { SettingsFile(directory: settingsDirectory) }

  /// The settings as they are on disk now.
  func settings() throws -> Settings { try settingsFile.current() }

  /// Puts the account's settings on disk.
  func addSettings(
    _ configuration: AccountConfiguration = Home.configuration, for account: AccountName? = nil
  ) throws {
    _ = try settingsFile.change { (settings) throws(ConfigurationError) in
      try settings.set(configuration, for: account ?? self.account)
    }
  }

  /// Writes settings that have as many other accounts as there may be.
  func fillSettings() throws {
    let names = (0..<Settings.maximumAccounts).map {
      #""account-\#($0)":{"issuer":"https://as.example","client_id":"c"}"#
    }
    let text = #"{"version":1,"accounts":{\#(names.joined(separator: ","))}}"#
    try PrivateDirectory(opening: settingsDirectory, create: true).replaceFile(
      "config.json", with: Array(text.utf8).span)
  }

  /// The refresh token that the vault has for an account now; nil when it has no record.
  func refreshToken(of account: AccountName) throws -> String? {
    try otherProcess().record(of: account).map { $0.refreshToken?.text ?? "" }
  }
}
