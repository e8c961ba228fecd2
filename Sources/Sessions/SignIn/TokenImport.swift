package import Crypto
internal import OAuth
internal import Platform

extension SignIn.Request {
  /// Adds an account with a refresh token from another program. Blocking.
  ///
  /// Spends the token. If the server rotates it, the other program's copy becomes invalid.
  ///
  /// - Throws: `accountExists` before sending, `grantNotStored` if a new token could not be stored, or the server's
  ///   error. The account exists if a token was stored.
  package func importToken(
    _ refreshToken: SharedSecret, _ given: SignInSecrets
  ) throws(SessionError) -> (grant: AccessGrant, configuration: AccountConfiguration) {
    // How the other program obtained the token is unknown.
    if configuration.profile == .fapi2 { throw .oauth(OAuthError(.noCodeGrant)) }
    try ParsedConfiguration.check(configuration)
    try configuration.checkPublished(hasSecret: given.credentials.secret != nil)
    _ = try services.requireUnlocked(account, configuration, isNew: true)
    return try services.withAccountLock(account, at: configuration.protection, cancellation: cancellation) {
      (_) throws(SessionError) in
      try test(refreshToken, given)
    }
  }

  /// Writes the settings before spending the token: an interruption leaves no token without an account.
  private func test(
    _ refreshToken: SharedSecret, _ given: SignInSecrets
  ) throws(SessionError) -> (grant: AccessGrant, configuration: AccountConfiguration) {
    try mapConfigurationError(services.settingsFile.current().checkAbsence(of: account))
    var signInServer = try SignInServer(configuration, services: services, cancellation: cancellation) { _ in given }
    let server = try signInServer.makeServer()
    try services.vacate(account)
    _ = try services.changeSettings(unless: { cancellation.isCancelled }) { (settings) throws(ConfigurationError) in
      try settings.checkAbsence(of: account)
      try settings.signIn(signInServer.configuration, to: account)
    }
    do {
      let grant = try cancellation.withDelayedCancellation(orThrow: SessionError.cancelled) { () throws(SessionError) in
        try redeem(refreshToken, given, server, signInServer)
      }
      return (grant, signInServer.configuration)
    } catch {
      // The new token is on disk for the next refresh.
      if (try? services.record(of: account)) != nil { throw error.followingSuccess }
      try? services.removeLeftover(of: account)
      _ = try? services.changeSettings(wait: SettingsFile.briefWait) { $0.remove(account) }
      throw error
    }
  }

  private func redeem(
    _ refreshToken: SharedSecret, _ given: SignInSecrets, _ server: AuthorizationServer, _ signInServer: SignInServer
  ) throws(SessionError) -> AccessGrant {
    let reserve = try services.reserveWrite(
      wait: SessionServices.lockWait(cancellation), isFailureFinal: true, cancellation)
    defer { extendLifetime(reserve) }
    let startedAt = services.time.now()
    let wallSeconds = services.time.wallSeconds()
    let answer = try mapOAuthError(server.refresh(refreshToken, cancellation: cancellation))
    var record = AccountRecord(
      authority: Authority(signInServer.parsed, metadata: server.metadata), signedInAt: wallSeconds)
    record.refreshToken = answer.refreshToken ?? refreshToken
    let tokens = try? answer.tokens()
    record.expiry.update(tokens, isNewToken: true, now: wallSeconds)
    record.scope = tokens?.scope?.text
    if tokens?.idToken != nil { record.identityBlock = .unverified }
    record.credentials = given.credentials
    record.proxyCredentials = given.proxyCredentials
    try record.setDPoPKey(of: server.prover)
    // Store first: the server may have invalidated the imported token.
    var generation: UInt64
    do throws(SessionError) {
      generation = try services.write(
        record, of: account, protection: configuration.protection ?? .device, in: reserve)
    } catch {
      // Without rotation, the other program continues to use the token.
      guard let new = answer.refreshToken, !new.bytes.isEqual(to: refreshToken.bytes) else { throw error }
      throw .grantNotStored(because: error, isRevoked: server.revokeIfPossible(new, .refreshToken, cancellation))
    }
    let response = try mapOAuthError(answer.tokens())
    // An ID Token is optional in a refresh (OpenID Connect Core section 12.2).
    let token = try IDTokenCheck(services: services, server: server, cancellation: cancellation)
      .verifySignIn(response, isRequired: false)
    if let token {
      record.identity = token.identity
      record.setIDToken(token, response.idToken)
      record.identityBlock = nil
      generation = try services.write(record, of: account)
    }
    return AccessGrant(
      response, requestedScope: nil, subject: token?.identity.subject, idToken: record.idToken.map(SealedSecret.init),
      issuedAt: startedAt, issuedAtUnixSeconds: wallSeconds, recordGeneration: generation,
      dpopKey: server.prover?.key, protection: configuration.protection ?? .device, expiry: record.expiry)
  }
}
