import Encoding
import Platform

extension AuthorizationServer {
  /// Tokens for an authorization code (RFC 6749 section 4.1.3, RFC 7636 section 4.6).
  ///
  /// A code that comes a second time ends the grant of its first use (RFC 6749 section 4.1.2).
  func redeemCode(
    _ parameters: Parameters, _ client: RegisteredClient, _ proof: DPoPProof?
  ) throws(OAuthFailure) -> IssuedTokens {
    guard let key = OpaqueKey(text: try parameters.required("code")) else {
      throw OAuthFailure(.invalidGrant, "unknown code")
    }
    let codeProof = try CodeProof(parameters)
    let grantKey = try checked(OpaqueKey.random)
    let order = try order(parameters, client, proof)
    return try withState { (state) throws(OAuthFailure) -> IssuedTokens in
      let code = try Self.use(key, client, for: grantKey, order.now, &state)
      try codeProof.check(against: code.request)
      guard code.request.takes(order.thumbprint) else {
        throw OAuthFailure(.invalidDPoPProof, "the code is bound to another key")
      }
      state.count(.codeGrants)
      var grant = Grant(
        clientID: client.id, username: code.session.username, scope: code.request.scope,
        authTime: code.session.authTime, acr: code.session.acr, targets: code.request.targets)
      return try begin(&grant, grantKey, order, nonce: code.request.nonce, &state)
    }
  }

  private static func use(
    _ key: OpaqueKey, _ client: RegisteredClient, for grant: OpaqueKey, _ now: Instant, _ state: inout IssuerState
  ) throws(OAuthFailure) -> AuthorizationCode {
    switch state.codes.redeem(key, clientID: client.id, for: grant, at: now) {
    case .first(let code): return code
    case .unknown: throw OAuthFailure(.invalidGrant, "unknown code")
    case .expired: throw OAuthFailure(.invalidGrant, "the code has expired")
    case .replayed(let earlier):
      state.count(.codeReplays)
      state.tokens.removeGrant(earlier)
      throw OAuthFailure(.invalidGrant, "the code was used before; its tokens are revoked")
    }
  }
}
