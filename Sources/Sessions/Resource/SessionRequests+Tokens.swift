package import Crypto
package import OAuth
internal import Platform

// The results are not stored.
extension SessionRequests {
  /// Exchanges the account's token for one with another target (RFC 8693).
  package func exchange(for target: TokenTarget) throws(SessionError) -> AccessGrant {
    var (stored, sessionServer) = try open()
    try sessionServer.checkProfile(FAPI2.Flow(stored.record.unattended))
    let startedAt = services.time.now()
    let wallSeconds = services.time.wallSeconds()
    let token = try grant.openAccessToken()
    let response = try sessionServer.send(to: .token) { (server) throws(OAuthError) in
      try server.exchange(token, for: target, cancellation: cancellation)
    }
    return AccessGrant(
      response, requestedScope: target.scope?.text, subject: grant.subject, idToken: grant.idToken,
      issuedAt: startedAt, issuedAtUnixSeconds: wallSeconds, recordGeneration: stored.generation,
      dpopKey: grant.dpopKey, protection: grant.protection)
  }

  /// Requests an assertion about the user for another account's server
  /// (draft-ietf-oauth-identity-assertion-authz-grant-04). Throws `idTokenNeeded`, before sending anything, without a
  /// valid ID Token. `configuration` is the other account's.
  package func identityAssertion(for configuration: AccountConfiguration) throws(SessionError) -> SharedSecret {
    guard let sealed = grant.idToken else { throw .idTokenNeeded(account: account.text, isExpired: false) }
    let idToken: SharedSecret
    do { idToken = try sealed.open() } catch { throw .memory }
    let end = idToken.bytes.withBytes { bytes in try? JWTClaims(ofVerified: bytes).expiresAt }
    guard let end, end > services.time.wallSeconds() else {
      throw .idTokenNeeded(account: account.text, isExpired: true)
    }
    let scope = try mapOAuthError(configuration.scopeWithoutUser())
    var sessionServer = try open().sessionServer
    return try sessionServer.send(to: .token) { (server) throws(OAuthError) in
      try server.requestIdentityAssertion(
        by: idToken, for: configuration.identityAudience, scope: scope, resources: configuration.resources,
        cancellation: cancellation)
    }
  }

  /// Exchanges one of the account's tokens for a role's credentials. The settings must list the origin of `endpoint`,
  /// the Security Token Service, which gets the token.
  package func assume(
    _ role: WebIdentityRole, with token: SealedSecret, at endpoint: Endpoint
  ) throws(SessionError) -> WebIdentityRole.Credentials {
    let transport = try services.transport(to: ResourceOrigin(of: endpoint), of: account, configuration)
    let opened: SharedSecret
    do { opened = try token.open() } catch { throw .memory }
    return try mapOAuthError(
      role.assume(
        with: opened, at: endpoint, transport: transport, http: services.http, cancellation: cancellation))
  }
}

extension AccountConfiguration {
  /// The `aud` of an assertion for this account (default: the issuer).
  fileprivate var identityAudience: String {
    guard case .named(let text)? = self.assertionAudience.map({ AssertionAudience($0) }) else { return issuer }
    return text
  }
}
