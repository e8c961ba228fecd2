internal import OAuth
internal import Vocabulary

/// How a session without a user is got, and renewed in the same way: there is no refresh token.
package enum UnattendedGrant: Sendable, Hashable {
  /// By proving who the client is (RFC 6749, section 4.4): the session of a guest.
  case client
  /// By a JWT that another issuer signed, as ``AssertionGrant`` says. It is got anew for each request, from its
  /// ``AssertionSource``, and kept nowhere.
  case assertion
}

/// A request for the tokens of a session without a user.
struct UnattendedRequest: Sendable {
  private let scope: Scope?
  private let target: TokenTarget?
  /// Nil where the client asks for itself.
  private let assertion: BearerAssertion?
  private let assertionGrant: AssertionGrant

  /// Gets the assertion where there is one, and checks it. Blocking. Nothing is sent to `server`.
  ///
  /// - Parameters:
  ///   - handed: What the request brings for it.
  ///   - target: Nil for the account's own.
  ///   - now: Unix seconds.
  /// - Throws: Why there is no assertion that this server would take.
  init(
    _ grant: UnattendedGrant, _ handed: HandedAssertion, of account: AccountName,
    _ configuration: AccountConfiguration, for target: TokenTarget? = nil, at server: AuthorizationServer, now: Int,
    _ cancellation: Cancellation
  ) throws(SessionError) {
    scope = try oauth { () throws(OAuthError) in try configuration.scopeWithoutUser() }
    let usual = try oauth { () throws(OAuthError) in try configuration.target() }
    self.target = target ?? usual
    assertionGrant = configuration.assertionGrant ?? .jwtBearer
    switch grant {
    case .client: assertion = nil
    case .assertion:
      let source = configuration.assertionSource ?? .handedOver
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
