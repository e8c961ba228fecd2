package import Crypto

/// The parameters of an authorization request that its ID Token must match.
package struct IDTokenRequirements: Sendable {
  /// The `nonce` sent (OpenID Connect Core section 3.1.2.1).
  package var nonce: String?
  /// The `max_age` sent, in seconds. Requires `auth_time`.
  package var maxAge: Int?
  /// The `acr_values` sent, of which the token must match one.
  package var acrValues: [String] = []

  /// The code exchanged for the token, checked against `c_hash` (section 3.3.2.11).
  package var code: SharedSecret?

  package init(nonce: String? = nil, maxAge: Int? = nil, acrValues: [String] = []) {
    self.nonce = nonce
    self.maxAge = maxAge
    self.acrValues = acrValues
  }
}

package struct IDTokenExpectation: Sendable {
  package var issuer: Issuer
  package var clientID: String
  /// The response's access token, checked against `at_hash`.
  package var accessToken: SharedSecret?
  /// The accepted `alg` values, independent of the token (RFC 8725 section 3.1).
  package var algorithms: Set<JWSAlgorithm>
  /// The current time, in unix seconds.
  package var now: Int
  /// The tolerated clock difference, in seconds.
  package var clockSkew = TokenClock.defaultSkew
  /// The identity in the first ID Token, required of refreshed ones (OpenID Connect Core section 12.2).
  package var first: IdentityRecord?
  /// The issuer template of a multi-tenant server.
  package var tenant: TenantIssuer?
  /// The authorization request's requirements; empty for device grants and refreshes.
  package var requirements = IDTokenRequirements()
  /// Accepted audiences besides the client.
  package var trustedAudiences: [String] = []

  /// The client secret if it is the MAC key of ID Tokens. Then keys and `algorithms` are ignored.
  package var secret: IDTokenSecret?

  var clock: TokenClock { TokenClock(now: now, skew: clockSkew) }
}

extension AuthorizationServer {
  /// Whether published keys or the client secret can verify ID Tokens.
  package var issuesIDTokens: Bool {
    if case .secret = signing.idTokens { return true }
    return metadata.issuesIDTokens
  }

  /// The announced algorithms that this program and the account's profile accept.
  var acceptedIDTokenAlgorithms: Set<JWSAlgorithm> {
    let announced = metadata.acceptedIDTokenAlgorithms
    return profile == .fapi2 ? announced.intersection(FAPI2.algorithms) : announced
  }

  package func idTokenExpectation(
    accessToken: SharedSecret, now: Int, first: IdentityRecord?, _ requirements: IDTokenRequirements
  ) -> IDTokenExpectation {
    var expectation = IDTokenExpectation(
      issuer: metadata.issuer, clientID: client.id, accessToken: accessToken, algorithms: acceptedIDTokenAlgorithms,
      now: now, first: first, tenant: metadata.tenant, requirements: requirements,
      trustedAudiences: signing.trustedAudiences)
    switch signing.idTokens {
    case nil: break
    case .key(let algorithm): expectation.algorithms = [algorithm]
    case .secret(let secret): expectation.secret = secret
    }
    return expectation
  }
}

extension AuthorizationServerMetadata {
  /// Whether the server publishes keys for ID Tokens.
  package var issuesIDTokens: Bool { self[.keys] != nil || unusableEndpoints[.keys] != nil }

  /// The announced algorithms that this program supports; by default, RS256 (OpenID Connect Core section 2).
  var acceptedIDTokenAlgorithms: Set<JWSAlgorithm> {
    guard !idTokenSigningAlgorithms.isEmpty else { return [.RS256] }
    return Set(idTokenSigningAlgorithms.compactMap(JWSAlgorithm.init(name:)))
  }
}
