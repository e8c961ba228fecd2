/// What an ID Token can have wrong, each against one rule of OpenID Connect Core 1.0 section 3.1.3.7.
enum IDTokenFault: String, Sendable, Hashable, CaseIterable {
  case iss
  case aud
  case exp
  case signature
  /// Not signed at all (`alg` is `none`).
  case unsigned = "none"
  /// Another user than before and than UserInfo names.
  case sub
  case atHash = "at_hash"
  case nonce
  case noNonce = "no_nonce"
  /// A day before the sign-in.
  case authTime = "auth_time"
  case acr
  /// Signed by a key that is not in the JWK Set.
  case kid
  /// No ID Token in the answer.
  case missing
}
