internal import OAuth

/// The grant of a session without a user or refresh token. The raw value is its member name in the record.
package enum UnattendedGrant: String, Sendable, Hashable, CaseIterable {
  /// Client credentials (RFC 6749, section 4.4).
  case clientCredentials = "guest"
  /// A JWT signed by another issuer (``AssertionGrant``), read from its ``AssertionSource`` for each request and never
  /// stored.
  case assertion
}

/// A token request without a user.
struct UnattendedRequest: Sendable {
  let send: @Sendable (AuthorizationServer, Cancellation) throws(OAuthError) -> TokenResponse

  /// Reads and checks the assertion, if the grant uses one. Blocking. Throws if it is missing or this server would
  /// reject it. `target` is nil for the account's own token; `now` is in unix seconds.
  init(
    _ grant: UnattendedGrant, _ passedAssertion: PassedAssertion, of account: AccountName,
    _ configuration: AccountConfiguration, for target: TokenTarget? = nil, at server: AuthorizationServer, now: Int,
    _ cancellation: Cancellation
  ) throws(SessionError) {
    let scope = try mapOAuthError(configuration.scopeWithoutUser())
    let usual = try mapOAuthError(configuration.target())
    let wanted = target ?? usual
    switch grant {
    case .clientCredentials:
      send = { (server, cancellation) throws(OAuthError) in
        try server.requestClientTokens(scope: scope, target: wanted, cancellation: cancellation)
      }
    case .assertion:
      let source = configuration.assertionSource ?? .signInRequest
      let assertion = try source.read(passedAssertion, of: account, configuration, for: server, now: now, cancellation)
      let use = configuration.assertionGrant ?? .jwtBearer
      send = { (server, cancellation) throws(OAuthError) in
        try server.tokens(for: assertion, by: use, scope: scope, target: wanted, cancellation: cancellation)
      }
    }
  }
}
