package import Crypto
package import OAuth
internal import Platform
package import Vocabulary

/// Adds an account with a refresh token from another program. Blocking.
///
/// Spends the token once, as a test. If the server rotates, this invalidates the other program's copy.
package struct TokenImport: Sendable {
  package let account: AccountName
  package let configuration: AccountConfiguration
  package let refreshToken: SharedSecret
  package let given: SignInSecrets
  package let services: SessionServices
  package let settingsDirectory: String
  package let cancellation: Cancellation

  package init(
    account: AccountName, configuration: AccountConfiguration, refreshToken: SharedSecret,
    given: SignInSecrets, services: SessionServices, settingsDirectory: String, cancellation: Cancellation
  ) {
    self.account = account
    self.configuration = configuration
    self.refreshToken = refreshToken
    self.given = given
    self.services = services
    self.settingsDirectory = settingsDirectory
    self.cancellation = cancellation
  }

  package struct Outcome: Sendable {
    package let grant: AccessGrant
    package let configuration: AccountConfiguration
  }

  /// - Throws: `accountExists`, before anything is sent; the server's error, after which nothing is stored; the error
  ///   in a response whose refresh token was stored, so that the account exists; `grantNotKept` if the new token could
  ///   not be written.
  package func run() throws(SessionError) -> Outcome {
    // How the other program obtained the token is unknown.
    if configuration.profile == .fapi2 { throw .oauth(OAuthError(.notByCode)) }
    try AccountAccess.check(configuration)
    try configuration.checkPublished(hasSecret: given.credentials.secret != nil)
    _ = try services.requireOpen(account, configuration, isNew: true)
    return try services.holding(account, at: configuration.protection, cancellation: cancellation) {
      (_) throws(SessionError) in
      try importToken()
    }
  }

  /// Writes the settings before spending the token, so that an interruption leaves an account with the new token, but
  /// never a token without an account.
  private func importToken() throws(SessionError) -> Outcome {
    let file = SettingsFile(directory: settingsDirectory)
    try settings { () throws(ConfigurationError) in try file.current().checkAbsence(of: account) }
    var contact = try FirstContact(configuration, services: services, cancellation: cancellation) { _ in given }
    let server = try contact.server()
    try services.vacate(account)
    try settings { () throws(ConfigurationError) in
      _ = try file.change(unless: { cancellation.isCancelled }) { (settings) throws(ConfigurationError) in
        try settings.checkAbsence(of: account)
        try settings.signIn(contact.configuration, to: account)
      }
    }
    do {
      let grant = try cancellation.spending(or: SessionError.cancelled) { () throws(SessionError) in
        try redeem(server, contact)
      }
      return Outcome(grant: grant, configuration: contact.configuration)
    } catch {
      // The new token is on disk, and the next refresh continues with it.
      if (try? services.record(of: account)) != nil { throw error.followingSuccess }
      try undo(file, after: error)
    }
  }

  /// Removes the new account and throws `error`.
  private func undo(_ file: SettingsFile, after error: SessionError) throws(SessionError) -> Never {
    try? services.removeLeftover(of: account)
    _ = try? file.change(wait: SettingsFile.briefWait) { (settings) in settings.remove(account) }
    throw error
  }

  /// Spends the token and stores the session.
  private func redeem(
    _ server: AuthorizationServer, _ contact: FirstContact
  ) throws(SessionError) -> AccessGrant {
    let reserve = try services.reserveWrite(
      wait: SessionServices.lockWait(cancellation), isFailureFinal: true, cancellation)
    defer { extendLifetime(reserve) }
    let startedAt = services.time.now()
    let wallSeconds = services.time.wallSeconds()
    let answer = try oauth { () throws(OAuthError) in
      try server.refresh(refreshToken, cancellation: cancellation)
    }
    var record = AccountRecord(
      authority: Authority(contact.access, metadata: server.metadata),
      signedInAt: wallSeconds)
    record.refreshToken = answer.refreshToken ?? refreshToken
    let tokens = try? answer.tokens()
    record.expiry.update(tokens, isNewToken: true, now: wallSeconds)
    record.scope = tokens?.scope?.text
    if tokens?.idToken != nil { record.identityHold = .unverified }
    record.credentials = given.credentials
    record.proxyCredentials = given.proxyCredentials
    try record.keep(server.prover)
    // Store first: the server may have invalidated the imported token, even if the rest of the response is unusable.
    var generation: UInt64
    do throws(SessionError) {
      generation = try services.write(
        record, of: account, protection: configuration.protection ?? .device, in: reserve)
    } catch {
      // If the server did not rotate the token, the other program continues to use it.
      guard let new = answer.refreshToken, !new.bytes.isEqual(to: refreshToken.bytes) else { throw error }
      throw .grantNotKept(because: error, isRevoked: server.end(new, .refreshToken, cancellation))
    }
    let response = try oauth { () throws(OAuthError) in try answer.tokens() }
    // An ID Token is optional in a refresh (OpenID Connect Core section 12.2).
    let token = try IDTokenCheck(services: services, server: server, cancellation: cancellation)
      .signedIn(response, isRequired: false)
    if let token {
      record.identity = token.identity
      record.keep(token, response.idToken)
      record.identityHold = nil
      generation = try services.write(record, of: account)
    }
    return AccessGrant(
      response, askedScope: nil, subject: token?.identity.subject, idToken: record.idToken.map(SealedSecret.init),
      issuedAt: startedAt, issuedAtUnixSeconds: wallSeconds, recordGeneration: generation,
      dpopKey: server.prover?.key, protection: configuration.protection ?? .device, expiry: record.expiry)
  }
}
