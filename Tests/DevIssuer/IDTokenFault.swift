/// What an ID Token can have wrong, each against one rule of OpenID Connect Core 1.0 section 3.1.3.7 or of
/// RFC 7515 and RFC 7519. Those that are said to be right must be taken.
enum IDTokenFault: String, Sendable, Hashable, CaseIterable {
  /// No ID Token in the answer.
  case missing

  // Claims.
  case iss
  case noISS = "no_iss"
  case aud
  case noAUD = "no_aud"
  /// Ours, and one more.
  case secondAUD = "second_aud"
  /// An array of one, which is right.
  case arrayAUD = "aud_array"
  case azp
  case exp
  case noEXP = "no_exp"
  /// The time as a string.
  case textEXP = "exp_text"
  case noIAT = "no_iat"
  /// A day ahead.
  case futureIAT = "future_iat"
  /// Another user than before and than UserInfo names.
  case sub
  case noSUB = "no_sub"
  /// One character more than allowed.
  case longSUB = "long_sub"
  /// Two of them, for two users.
  case twoSUBs = "two_subs"
  case atHash = "at_hash"
  case cHash = "c_hash"
  /// There even where nobody sent one.
  case nonce
  case noNonce = "no_nonce"
  /// A day before the sign-in.
  case authTime = "auth_time"
  case acr
  /// Those of a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4).
  case events

  // Header and form.
  case signature
  /// Not signed at all (`alg` is `none`).
  case unsigned = "none"
  /// Signed with an algorithm that is not announced.
  case algorithm = "alg"
  /// HS256 under the bytes of the published key.
  case hs256
  /// Signed by a key that is not in the JWK Set.
  case kid
  /// No `kid`, which is right while one key fits.
  case noKID = "no_kid"
  /// Signed by the key that comes along.
  case jwk
  /// Signed by a key that is said to be elsewhere.
  case jku
  /// An extension that must be understood.
  case crit
  /// That of an access token (RFC 9068 section 2.1).
  case type = "typ"
  /// Base64url with padding.
  case padded
  /// In the form of an encrypted token (RFC 7516 section 3.1).
  case fiveParts = "five_parts"
}
