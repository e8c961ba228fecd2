package import Crypto
package import JOSE

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

/// The claims that an ID Token must have.
package struct IDTokenExpectation: Sendable {
  /// How far ahead `iat` may be, in seconds.
  static let longestAhead = 600
  /// The largest clock skew that is taken, in seconds.
  package static let largestClockSkew = 300

  package var issuer: Issuer
  /// How the tokens name the issuer, where one stands for many.
  package var tenant: TenantIssuer?
  package var clientID: String
  /// Accepted `alg` values, never read from the token (RFC 8725 section 3.1).
  package var algorithms: Set<JWSAlgorithm>
  /// Unix seconds.
  package var now: Int
  /// The access token of the same answer, for `at_hash`.
  package var accessToken: SharedSecret?
  /// The demands of the sign-in; none for the device grant and for a refresh.
  package var demands = IDTokenDemands()
  /// Tolerance for all times, in seconds; more than 300 counts as 300.
  package var clockSkew: Int
  /// The identity of the first ID Token, on refresh (OpenID Connect Core 1.0 section 12.2).
  package var first: IdentityRecord?
  /// Other audiences that the token may be for.
  package var trustedAudiences: [String] = []

  /// The client's secret, where the client is registered for ID Tokens under it; then `algorithms` and the keys do
  /// not count.
  package var secret: IDTokenSecret?

  package init(
    issuer: Issuer, clientID: String, accessToken: SharedSecret? = nil,
    algorithms: Set<JWSAlgorithm>, now: Int, clockSkew: Int = 60, first: IdentityRecord? = nil
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.accessToken = accessToken
    self.algorithms = algorithms
    self.now = now
    self.clockSkew = clockSkew
    self.first = first
  }

  var skew: Int { min(max(clockSkew, 0), Self.largestClockSkew) }
}
