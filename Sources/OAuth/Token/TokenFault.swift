package import JOSE

/// Why a token does not hold. It carries no byte of the token.
package enum TokenFault: Error, Hashable, Sendable {
  /// The text or the header; no key was looked at.
  case form(JOSEError.Code)
  /// The key, the algorithm or the signature.
  case signature(JOSEError.Code)
  /// The payload is not a JSON object (RFC 7519 section 7.2).
  case noClaims
  /// A claim is of the wrong type or out of range.
  case malformedClaim(String)
  /// Unix seconds.
  case expired(at: Int)
  case notYetValid(until: Int)
  case issuedInFuture(at: Int)
  case otherIssuer(isMissing: Bool)
  case otherAudience(isMissing: Bool)
  /// A logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4), by the claim that it lacks or that no other
  /// token has.
  case logoutToken(claim: String)
  /// The token is also for audiences that the caller did not name (OpenID Connect Core 1.0 section 3.1.3.7).
  case foreignAudience
  /// `azp` is none of the audiences that the caller named.
  case otherParty
  /// A claim that the caller or the profile requires is not there.
  case missingClaim(String)
  /// A claim that tokens of the profile must not have is there.
  case unexpectedClaim(String)
  /// A claim is there and has not the value that the caller demands.
  case otherValue(ClaimDemand)

  /// Whether other keys of the same issuer may make a difference (OpenID Connect Core 1.0 section 10.1.1).
  package var needsNewKeys: Bool {
    if case .signature(let reason) = self { JOSEError(reason).needsNewKeys } else { false }
  }
}
