package import JOSE

/// The account's settings for ID Tokens and UserInfo: the registered algorithms (OpenID Connect Dynamic Client
/// Registration 1.0 section 2) and trusted audiences.
package struct ResponseSigning: Sendable {
  /// `id_token_signed_response_alg`.
  package enum IDTokens: Sendable {
    /// Only signatures with this algorithm.
    case key(JWSAlgorithm)
    case secret(IDTokenSecret)
  }

  /// Nil to accept the algorithms announced by the issuer.
  package var idTokens: IDTokens?
  /// `userinfo_signed_response_alg`: UserInfo must be signed with it. Nil accepts any UserInfo.
  package var userInfo: JWSAlgorithm?

  /// Additional accepted audiences of ID Tokens.
  package var trustedAudiences: [String] = []

  package init() {}
}
