package import JOSE

/// The reason why a token is invalid. Contains no part of the token.
package enum TokenFault: Error, Hashable, Sendable {
  /// The format or the header, before looking at a key.
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
  /// A claim that a logout token must have is missing, or one that it must not have is present (OpenID Connect
  /// Back-Channel Logout 1.0 section 2.4).
  case logoutToken(claim: String)
  /// The token has additional audiences that the caller did not specify (OpenID Connect Core 1.0 section 3.1.3.7).
  case foreignAudience
  /// `azp` is not one of the caller's audiences.
  case otherParty
  /// A claim required by the caller or profile is missing.
  case missingClaim(String)
  /// A claim that is not allowed in tokens of the profile.
  case unexpectedClaim(String)
  /// A claim does not have the value required by the caller.
  case otherValue(ClaimDemand)

  /// Whether newer keys of the same issuer may help (OpenID Connect Core 1.0 section 10.1.1).
  package var needsNewKeys: Bool {
    if case .signature(let reason) = self { JOSEError(reason).needsNewKeys } else { false }
  }
}
