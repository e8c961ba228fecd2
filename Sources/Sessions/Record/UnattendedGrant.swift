internal import OAuth

/// The grant of a session without a user, which has no refresh token.
package enum UnattendedGrant: Sendable, Hashable {
  /// Client credentials (RFC 6749, section 4.4).
  case client
  /// A JWT signed by another issuer; see ``AssertionGrant``. Read from its ``AssertionSource`` for each request.
  case assertion
}

/// A token request of a session without a user.
struct UnattendedRequest: Sendable {
  private let scope: Scope?
  private let target: TokenTarget?
  private let assertion: BearerAssertion?
  private let assertionGrant: AssertionGrant

  /// Reads and checks the assertion, if the grant uses one. Blocking. Sends nothing.
  ///
  /// - Parameters:
  ///   - target: Nil for the account's own token.
  ///   - now: Unix seconds.
  /// - Throws: If there is no assertion or this server would reject it.
  init(
    _ grant: UnattendedGrant, _ handed: PassedAssertion, of account: AccountName,
    _ configuration: AccountConfiguration, for target: TokenTarget? = nil, at server: AuthorizationServer, now: Int,
    _ cancellation: Cancellation
  ) throws(SessionError) {
    scope = try oauth(configuration.scopeWithoutUser())
    let usual = try oauth(configuration.target())
    self.target = target ?? usual
    assertionGrant = configuration.assertionGrant ?? .jwtBearer
    switch grant {
    case .client: assertion = nil
    case .assertion:
      let source = configuration.assertionSource ?? .signInRequest
      assertion = try source.read(handed, of: account, configuration, for: server, now: now, cancellation)
    }
  }

  func send(to server: AuthorizationServer, _ cancellation: Cancellation) throws(OAuthError) -> TokenResponse {
    guard let assertion else {
      return try server.tokensForClient(scope: scope, target: target, cancellation: cancellation)
    }
    return try server.tokens(
      for: assertion, by: assertionGrant, scope: scope, target: target, cancellation: cancellation)
  }
}
