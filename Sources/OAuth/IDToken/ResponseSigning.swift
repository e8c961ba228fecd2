package import Crypto

/// The client's algorithms for ID Tokens and UserInfo (OpenID Connect Dynamic Client Registration 1.0 section 2), and
/// trusted audiences.
package struct ResponseSigning: Sendable {
  /// The `id_token_signed_response_alg`.
  package enum IDTokens: Sendable {
    case key(JWSAlgorithm)
    case secret(IDTokenSecret)
  }

  /// Nil for any that the issuer announces.
  package var idTokens: IDTokens?
  /// The `userinfo_signed_response_alg`. Nil accepts any, even unsigned responses.
  package var userInfo: JWSAlgorithm?

  /// Accepted in ID Tokens, besides the client.
  package var trustedAudiences: [String] = []

  package init() {}
}
