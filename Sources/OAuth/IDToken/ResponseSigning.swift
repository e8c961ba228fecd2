package import Crypto

/// The client's registered algorithms for ID Tokens and UserInfo (OpenID Connect Dynamic Client Registration 1.0
/// section 2), and trusted audiences.
package struct ResponseSigning: Sendable {
  /// The registered signing of ID Tokens (`id_token_signed_response_alg`).
  package enum IDTokens: Sendable {
    case key(JWSAlgorithm)
    case secret(IDTokenSecret)
  }

  /// Nil accepts any algorithm that the issuer announces.
  package var idTokens: IDTokens?
  /// The registered algorithm of UserInfo (`userinfo_signed_response_alg`). Nil accepts any, even unsigned responses.
  package var userInfo: JWSAlgorithm?

  /// Accepted audiences of ID Tokens besides the client.
  package var trustedAudiences: [String] = []

  package init() {}
}
