internal import OAuth
internal import Vocabulary

/// How a session without a user is got, and renewed in the same way: there is no refresh token.
package enum UnattendedGrant: Sendable, Hashable {
  /// By proving who the client is (RFC 6749, section 4.4): the session of a guest.
  case client
  /// By a JWT that a platform hands out, as ``AssertionGrant`` says. It is read anew for each request and kept nowhere.
  case assertion
}

/// A request for the tokens of a session without a user.
struct UnattendedRequest: Sendable {
  private let scope: Scope?
  private let target: TokenTarget?
  /// Nil where the client asks for itself.
  private let assertion: BearerAssertion?
  private let assertionGrant: AssertionGrant

  /// Reads the assertion where there is one, and checks it. Blocking. Nothing is sent.
  ///
  /// - Parameters:
  ///   - target: Nil for the account's own.
  ///   - now: Unix seconds.
  /// - Throws: Why there is no assertion that this server would take.
  init(
    _ grant: UnattendedGrant, of account: AccountName, _ configuration: AccountConfiguration,
    for target: TokenTarget? = nil, at metadata: AuthorizationServerMetadata, now: Int
  ) throws(SessionError) {
    scope = try oauth { () throws(OAuthError) in try configuration.scopeWithoutUser() }
    let usual = try oauth { () throws(OAuthError) in try configuration.target() }
    self.target = target ?? usual
    assertionGrant = configuration.assertionGrant ?? .jwtBearer
    switch grant {
    case .client: assertion = nil
    case .assertion:
      guard let path = configuration.assertionFile else { throw .assertionNotNamed(account: account.text) }
      assertion = try AssertionFile(path: path).read(for: configuration.assertionAudience, at: metadata, now: now)
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
