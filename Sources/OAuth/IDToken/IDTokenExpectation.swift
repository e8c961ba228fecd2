package import Crypto

/// The parts of an authorization request that its ID Token must match.
package struct IDTokenRequirements: Sendable {
  /// As sent (OpenID Connect Core section 3.1.2.1).
  package var nonce: String?
  /// As sent, in seconds. Requires `auth_time`.
  package var maxAge: Int?
  /// As sent. The token must match one.
  package var acrValues: [String] = []

  /// The exchanged code, checked against `c_hash` (section 3.3.2.11).
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
  /// Checked against `at_hash`.
  package var accessToken: SharedSecret?
  /// The accepted `alg` values, whatever the token names (RFC 8725 section 3.1).
  package var algorithms: Set<JWSAlgorithm>
  /// In unix seconds.
  package var now: Int
  /// In seconds.
  package var clockSkew = TokenClock.defaultSkew
  /// The first ID Token's identity, which refreshed tokens must match (OpenID Connect Core section 12.2).
  package var first: IdentityRecord?
  /// Set for a multi-tenant server.
  package var tenant: TenantIssuer?
  /// Empty for device grants and refreshes.
  package var requirements = IDTokenRequirements()
  /// Accepted in addition to the client.
  package var trustedAudiences: [String] = []

  /// Set if ID Tokens have a MAC with the client secret. Keys and `algorithms` are then unused.
  package var secret: IDTokenSecret?

  var clock: TokenClock { TokenClock(now: now, skew: clockSkew) }
}

extension AuthorizationServer {
  /// Whether keys or the client secret can verify ID Tokens.
  package var issuesIDTokens: Bool {
    if case .secret = signing.idTokens { return true }
    return metadata.issuesIDTokens
  }

  /// Announced algorithms that this program and the profile accept.
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
  package var issuesIDTokens: Bool { self[.keys] != nil || unusableEndpoints[.keys] != nil }

  /// Announced algorithms that this program supports (default: RS256, OpenID Connect Core section 2).
  var acceptedIDTokenAlgorithms: Set<JWSAlgorithm> {
    guard !idTokenSigningAlgorithms.isEmpty else { return [.RS256] }
    return Set(idTokenSigningAlgorithms.compactMap(JWSAlgorithm.init(name:)))
  }
}
