internal import Crypto
package import OAuth
package import Platform
internal import Vault

extension SessionServices {
  var settingsFile: SettingsFile { SettingsFile(directory: settingsDirectory) }

  /// Calls ``SettingsFile/change(wait:unless:in:_:)``.
  package func changeSettings(
    wait: Duration = SettingsFile.usualWait, unless isGivenUp: () -> Bool = { false }, in reserved: ReservedFile? = nil,
    _ edit: (inout Settings) throws(ConfigurationError) -> Void
  ) throws(SessionError) -> Settings {
    try mapConfigurationError(settingsFile.change(wait: wait, unless: isGivenUp, in: reserved, edit))
  }

  /// Adds an account without signing in. Blocking; `isGivenUp` ends the wait for the lock. Throws `accountExists` or an
  /// error in the settings.
  package func add(
    _ account: AccountName, _ configuration: AccountConfiguration, unless isGivenUp: () -> Bool = { false }
  ) throws(SessionError) -> Settings {
    try ParsedConfiguration.check(configuration)
    try configuration.checkPublished()
    return try withAccountLock(account) { () throws(SessionError) in
      try mapConfigurationError(settingsFile.current().checkAbsence(of: account))
      // A removed account's pending revocation continues.
      if (try? record(of: account))?.revocation == nil { try removeLeftover(of: account) }
      return try changeSettings(unless: isGivenUp) { (settings) throws(ConfigurationError) in
        try settings.checkAbsence(of: account)
        try settings.add(configuration, as: account)
      }
    }
  }

  /// Seals the origins `added` by the user for an account's token. Others in the settings file may not be from the
  /// user. With `confirmsAuthorities`, also seals the certificate authorities, whose file the user specified. Nil if
  /// nothing changed. Blocking.
  package func sealOrigins(
    _ added: [ResourceOrigin], of account: AccountName, _ configuration: AccountConfiguration,
    confirmsAuthorities: Bool = false
  ) throws(SessionError) -> RecordRewrite? {
    try withAccountLock(account) { () throws(SessionError) in
      guard let stored = try storedRecord(of: account) else { return nil }
      var record = stored.record
      let before = record.authority
      if confirmsAuthorities {
        record.authority.sealCertificateAuthorities(try ParsedConfiguration(configuration).authorities)
      }
      let kept = record.authority.resourceOrigins.filter { text in
        ResourceOrigin(text, allowHTTPLoopback: true).map { configuration.lists($0) } ?? false
      }
      record.authority.resourceOrigins = Set(kept + added.map(\.text)).sorted()
      guard record.authority != before else { return nil }
      return RecordRewrite(from: stored.generation, to: try write(record, of: account, replacing: stored.generation))
    }
  }

  /// Changes the protection level of an account's record. Blocking. Nil if nothing changed. Throws the vault error
  /// `locked` if the old or new level is locked.
  package func changeProtection(of account: AccountName, to level: Protection) throws(SessionError) -> RecordRewrite? {
    try withAccountLock(account, at: level) { (_) throws(SessionError) in
      guard let old = try protection(of: account), old != level, let stored = try storedRecord(of: account) else {
        return nil
      }
      let generation = try write(stored.record, of: account, protection: level, replacing: stored.generation)
      return RecordRewrite(from: stored.generation, to: generation)
    }
  }

  /// Stores the access token of a session without a refresh token. Blocking. Nil if nothing changed. `moves` are the
  /// record's rewrites since the grant, oldest first.
  package func storeToken(
    of grant: AccessGrant, of account: AccountName, after moves: [RecordRewrite]
  ) throws(SessionError) -> RecordRewrite? {
    let current = moves.reduce(grant.recordGeneration) { $1.from == $0 ? $1.to : $0 }
    return try withAccountLock(account) { () throws(SessionError) in
      guard let stored = try storedRecord(of: account), stored.generation == current, stored.record.isTokenNotStored
      else {
        return nil
      }
      var record = stored.record
      record.accessToken = try grant.openAccessToken()
      record.idToken = record.idToken ?? grant.idToken.flatMap { try? $0.open() }
      record.dpopKey = try mapOAuthError(grant.dpopKey?.serialized())
      (record.isTokenNotStored, record.isExpired) = (false, false)
      return RecordRewrite(from: current, to: try write(record, of: account, replacing: current))
    }
  }

  /// Removes a record left by an interrupted rename or import.
  func removeLeftover(of account: AccountName) throws(SessionError) {
    _ = try mapVaultError(vault.remove(account))
    // Last, since an unwritten token is valid while the record exists.
    unwrittenRecords[account] = nil
  }

  /// Changes an account's settings in the file. Blocking; `isGivenUp` ends the wait for the lock. Throws
  /// `accountChanged` if another program changed them, or an error in the new ones.
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

  /// The effect of new settings on the session; `none` if the vault is unreadable.
  package func effect(of new: AccountConfiguration, on account: AccountName) -> SettingsEffect {
    guard let record = try? record(of: account),
      case .configurationChanged(_, let setting, _)? = record.problem(with: new, account: account)
    else { return .none }
    return .signedOut(setting: setting)
  }
}

/// The effect of changed settings on a session.
package enum SettingsEffect: Sendable, Hashable {
  /// There is no session, or it continues.
  case none
  /// This setting would send secrets elsewhere. Until it is restored or the user signs in, the account is signed out.
  case signedOut(setting: String)
}

extension Settings {
  func checkAbsence(of account: AccountName) throws(ConfigurationError) {
    if self[account] != nil { throw ConfigurationError(.accountExists, account.text) }
  }
}

func mapConfigurationError<Result>(_ body: @autoclosure () throws(ConfigurationError) -> Result) throws(SessionError)
  -> Result
{
  do { return try body() } catch { throw .configuration(error) }
}
