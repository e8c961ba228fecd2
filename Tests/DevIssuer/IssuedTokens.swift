/// What one successful token request gives, with all that is needed to write the answer without
/// the lock.
struct IssuedTokens: Sendable {
  let grant: Grant
  /// Of the access token; perhaps narrower than the grant's.
  let scope: ScopeSet
  let accessToken: String
  /// Nil when the client keeps the one it has, or gets none.
  let refreshToken: String?
  /// For the ID Token that answers an authorization request, and for no later one.
  let nonce: String?
  /// The access token is bound to a key (RFC 9449).
  let isBound: Bool
  /// Unix seconds.
  let issuedAt: Int
  let settings: Settings
  let key: SigningKey
  /// Only for an exchanged token (RFC 8693 section 2.2.1).
  var issuedTokenType: String?
}
