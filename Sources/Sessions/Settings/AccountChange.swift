internal import Vault
package import Vocabulary

package struct AccountChange: Sendable {
  package let account: AccountName
  /// The settings that the change is based on.
  package let old: AccountConfiguration
  package let new: AccountConfiguration
  package let services: SessionServices
  package let settingsDirectory: String

  package init(
    account: AccountName, from old: AccountConfiguration, to new: AccountConfiguration, services: SessionServices,
    settingsDirectory: String
  ) {
    self.account = account
    self.old = old
    self.new = new
    self.services = services
    self.settingsDirectory = settingsDirectory
  }

  package enum Effect: Sendable, Hashable {
    /// There is no session, or it continues.
    case none
    /// The new value would send the session's secrets elsewhere: the account counts as signed out until the setting is
    /// restored or the user signs in again.
    case signedOut(setting: String)
  }

  /// - Parameter isGivenUp: Ends the wait for another program that changes the settings when it returns true.
  /// - Throws: `accountChanged` if the settings were changed meanwhile; or the problem with the new settings.
  package func run(unless isGivenUp: () -> Bool = { false }) throws(SessionError) -> Effect {
    try AccountAccess.check(new)
    let isOther = new.clientID != old.clientID || new.tokenEndpointAuthMethod != old.tokenEndpointAuthMethod
    if isOther { try new.checkPublished() }
    let effect = effect()
    let file = SettingsFile(directory: settingsDirectory)
    _ = try settings { () throws(ConfigurationError) in
      try file.change(unless: isGivenUp) { (settings) throws(ConfigurationError) in
        guard settings[account] == old else { throw ConfigurationError(.accountChanged, account.text) }
        try settings.set(new, for: account)
      }
    }
    return effect
  }

  /// An unreadable vault is reported when the account is used.
  package func effect() -> Effect {
    guard let record = try? services.record(of: account),
      case .configurationChanged(_, let setting, _)? = record.problem(with: new, account: account)
    else { return .none }
    return .signedOut(setting: setting)
  }
}
