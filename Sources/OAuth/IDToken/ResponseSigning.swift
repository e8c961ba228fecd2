package import JOSE

/// How the client is registered to get what the issuer says about the user (OpenID Connect Dynamic Client
/// Registration 1.0 section 2).
package struct ResponseSigning: Sendable {
  /// What protects ID Tokens: `id_token_signed_response_alg`.
  package enum IDTokens: Sendable {
    /// A key, with this algorithm and no other.
    case key(JWSAlgorithm)
    case secret(IDTokenSecret)
  }

  /// nil leaves it to what the issuer announces.
  package var idTokens: IDTokens?
  /// `userinfo_signed_response_alg`: UserInfo is signed so, and nothing else is taken; nil takes what comes.
  package var userInfo: JWSAlgorithm?

  package init() {}
}
