package import JOSE

/// The account's settings for ID Tokens and UserInfo: their registered protection (OpenID Connect Dynamic Client
/// Registration 1.0 section 2), and the audiences that are trusted.
package struct ResponseSigning: Sendable {
  /// The protection of ID Tokens: `id_token_signed_response_alg`.
  package enum IDTokens: Sendable {
    /// A key, with this algorithm and no other.
    case key(JWSAlgorithm)
    case secret(IDTokenSecret)
  }

  /// nil leaves it to what the issuer announces.
  package var idTokens: IDTokens?
  /// `userinfo_signed_response_alg`: UserInfo must be signed with it; nil accepts any UserInfo.
  package var userInfo: JWSAlgorithm?

  /// Other audiences that ID Tokens may be for.
  package var trustedAudiences: [String] = []

  package init() {}
}
