import Encoding
import Platform

extension AuthorizationServer {
  /// Scopes that mean nothing without a user.
  private static let userScopes = ["openid", "profile", "email", "offline_access"]

  /// A token for the client itself (RFC 6749 section 4.4): no user, no ID Token, no refresh token
  /// (section 4.4.3). Scopes about a user are left out, and the answer says so (section 3.3).
  func grantToClient(
    _ parameters: Parameters, _ client: RegisteredClient, _ proof: DPoPProof?
  ) throws(OAuthFailure) -> IssuedTokens {
    guard client.isConfidential else {
      throw OAuthFailure(.unauthorizedClient, "only for clients that can keep a secret")
    }
    let scope = try Self.scope(parameters)?.without(Self.userScopes) ?? .guest
    let grantKey = try checked(OpaqueKey.random)
    let order = try order(parameters, client, proof, scope: scope)
    return try withState { (state) throws(OAuthFailure) -> IssuedTokens in
      state.count(.clientGrants)
      let grant = Grant(clientID: client.id, username: nil, scope: scope, authTime: order.wall, targets: order.targets)
      state.tokens.add(grant, key: grantKey)
      return try issue(grant, grantKey, order, newRefreshToken: false, &state)
    }
  }
}
