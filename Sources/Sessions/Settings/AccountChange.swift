/// The effect of changed settings on a session.
package enum SettingsEffect: Sendable, Hashable {
  /// The account has no session, or its session continues.
  case none
  /// The new value of this setting would send secrets elsewhere. The account counts as signed out until the old value
  /// is restored or the user signs in again.
  case signedOut(setting: String)
}

extension SessionServices {
  /// Changes an account's settings in the file. Blocking.
  ///
  /// - Parameter isGivenUp: Whether to stop waiting for the lock.
  /// - Throws: `accountChanged` if another program changed the settings, or the error in the new settings.
  package func change(
    _ account: AccountName, from old: AccountConfiguration, to new: AccountConfiguration,
    unless isGivenUp: () -> Bool = { false }
  ) throws(SessionError) -> SettingsEffect {
    try ParsedConfiguration.check(new)
    let isOther = new.clientID != old.clientID || new.tokenEndpointAuthMethod != old.tokenEndpointAuthMethod
    if isOther { try new.checkPublished() }
    let effect = effect(of: new, on: account)
    _ = try changeSettings(unless: isGivenUp) { (settings) throws(ConfigurationError) in
      guard settings[account] == old else { throw ConfigurationError(.accountChanged, account.text) }
      try settings.set(new, for: account)
    }
    return effect
  }

  /// The effect of new settings on the session. Ignores an unreadable vault.
  package func effect(of new: AccountConfiguration, on account: AccountName) -> SettingsEffect {
    guard let record = try? record(of: account),
      case .configurationChanged(_, let setting, _)? = record.problem(with: new, account: account)
    else { return .none }
    return .signedOut(setting: setting)
  }
}
