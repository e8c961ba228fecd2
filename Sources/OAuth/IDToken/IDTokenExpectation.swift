package import Crypto

/// The parameters of an authorization request that its ID Token must match.
package struct IDTokenRequirements: Sendable {
  /// The `nonce` sent (OpenID Connect Core section 3.1.2.1).
  package var nonce: String?
  /// The `max_age` sent, in seconds. Requires `auth_time` in the token.
  package var maxAge: Int?
  /// The `acr_values` sent. The token must have one of them.
  package var acrValues: [String] = []

  /// The code exchanged for the token, checked against `c_hash` (section 3.3.2.11).
  package var code: SharedSecret?

  package init(nonce: String? = nil, maxAge: Int? = nil, acrValues: [String] = []) {
    self.nonce = nonce
    self.maxAge = maxAge
    self.acrValues = acrValues
  }
}

/// The values that an ID Token must match.
package struct IDTokenExpectation: Sendable {
  package var issuer: Issuer
  /// The template for the issuer's name in tokens of a multi-tenant server.
  package var tenant: TenantIssuer?
  package var clientID: String
  /// Accepted `alg` values, independent of the token (RFC 8725 section 3.1).
  package var algorithms: Set<JWSAlgorithm>
  /// The current time, in unix seconds.
  package var now: Int
  /// The access token of the same response, checked against `at_hash`.
  package var accessToken: SharedSecret?
  /// The requirements of the authorization request; none for the device grant and for refreshes.
  package var demands = IDTokenRequirements()
  /// The tolerated clock difference, in seconds.
  package var clockSkew: Int
  /// The identity in the first ID Token, for a refresh (OpenID Connect Core section 12.2).
  package var first: IdentityRecord?
  /// Accepted audiences besides the client.
  package var trustedAudiences: [String] = []

  /// The client secret, if the client is registered for ID Tokens with a MAC. If set, `algorithms` and keys are
  /// ignored.
  package var secret: IDTokenSecret?

  package init(
    issuer: Issuer, clientID: String, accessToken: SharedSecret? = nil,
    algorithms: Set<JWSAlgorithm>, now: Int, clockSkew: Int = TokenClock.defaultSkew, first: IdentityRecord? = nil
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.accessToken = accessToken
    self.algorithms = algorithms
    self.now = now
    self.clockSkew = clockSkew
    self.first = first
  }

  var clock: TokenClock { TokenClock(now: now, skew: clockSkew) }
}
