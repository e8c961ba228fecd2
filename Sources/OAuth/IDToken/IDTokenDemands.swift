package import Crypto

/// The requirements of an authorization request for its ID Token.
package struct IDTokenDemands: Sendable {
  /// The nonce that was sent (OpenID Connect Core 1.0 section 3.1.2.1).
  package var nonce: String?
  /// The `max_age` that was sent, in seconds; the token must then say when the person authenticated.
  package var maxAge: Int?
  /// The `acr_values` that were asked for; any of them will do.
  package var acrValues: [String] = []

  /// The code that the token was got with, for `c_hash` (section 3.3.2.11).
  package var code: SharedSecret?

  package init(nonce: String? = nil, maxAge: Int? = nil, acrValues: [String] = []) {
    self.nonce = nonce
    self.maxAge = maxAge
    self.acrValues = acrValues
  }
}
