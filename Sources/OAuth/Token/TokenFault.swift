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

  /// Whether other keys of the same issuer may make a difference (OpenID Connect Core 1.0 section 10.1.1).
  package var needsNewKeys: Bool {
    if case .signature(let reason) = self { JOSEError(reason).needsNewKeys } else { false }
  }
}
