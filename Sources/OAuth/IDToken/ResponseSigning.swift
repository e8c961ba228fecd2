package import Crypto

/// The client's registered algorithms for ID Tokens and UserInfo (OpenID Connect Dynamic Client Registration 1.0
/// section 2), and trusted audiences.
package struct ResponseSigning: Sendable {
  /// The registered signing of ID Tokens (`id_token_signed_response_alg`).
  package enum IDTokens: Sendable {
    /// A signature with this algorithm.
    case key(JWSAlgorithm)
    /// A MAC with the client secret.
    case secret(IDTokenSecret)
  }

  /// The required algorithm, or nil for any that the issuer announces.
  package var idTokens: IDTokens?
  /// The registered algorithm of UserInfo (`userinfo_signed_response_alg`); nil to accept any, even unsigned.
  package var userInfo: JWSAlgorithm?

  /// Accepted audiences of ID Tokens besides the client.
  package var trustedAudiences: [String] = []

  package init() {}
}
