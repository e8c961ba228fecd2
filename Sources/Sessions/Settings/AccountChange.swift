package import Vocabulary

/// A change of an account's settings. Blocking.
package struct AccountChange: Sendable {
  package let account: AccountName
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
    /// The new value would send the session's secrets elsewhere. The account counts as signed out until it is restored
    /// or the user signs in again.
    case signedOut(setting: String)
  }

  /// Writes the change to the settings file.
  ///
  /// - Parameter isGivenUp: Whether to stop waiting for another program's lock.
  /// - Throws: `accountChanged` if another program changed the settings, or the error in the new settings.
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

  /// The effect of the change on the session. An unreadable vault is ignored: using the account reports it.
  package func effect() -> Effect {
    guard let record = try? services.record(of: account),
      case .configurationChanged(_, let setting, _)? = record.problem(with: new, account: account)
    else { return .none }
    return .signedOut(setting: setting)
  }
}
