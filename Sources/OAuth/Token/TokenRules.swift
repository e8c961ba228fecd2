package import Encoding
package import JOSE

/// The rules that any signed token must meet: its signature by the known keys, and the claims that say when, by whom
/// and for whom it was issued (RFC 7519 section 4.1, RFC 8725).
package struct TokenRules: Sendable {
  /// The largest tolerance for times, in seconds.
  package static let largestClockSkew = 300
  package static let usualClockSkew = 60

  /// Accepted `alg` values, never read from the token (RFC 8725 section 3.1).
  package var algorithms = Set(JWSAlgorithm.allCases)
  /// The `typ` that the token must have; nil takes any (RFC 8725 section 3.11).
  package var type: String?
  /// `iss`, byte by byte; nil takes any.
  package var issuer: String?
  /// The required value or member of `aud`; nil accepts any.
  package var audience: String?
  /// Tolerance for all times, in seconds.
  package var clockSkew = TokenRules.usualClockSkew
  /// Check the signature and nothing else: the payload need not be a set of claims.
  package var isSignatureOnly = false

  package init() {}

  /// A token that holds.
  package struct Verified: Sendable {
    package let header: JSONObject
    package let payload: [UInt8]
    /// Nil when only the signature was checked.
    package let claims: JSONObject?
  }

  /// Reads a token. Nothing in it is to be believed.
  package static func read(_ compact: Span<UInt8>) throws(TokenFault) -> UnverifiedJWS {
    do { return try UnverifiedJWS(compact: compact) } catch { throw .form(error.code) }
  }

  /// Verifies the signature and then the claims, so that no unverified claim is read.
  ///
  /// - Parameter now: Unix seconds.
  package func verify(_ token: UnverifiedJWS, by keys: JWKSet, now: Int) throws(TokenFault) -> Verified {
    let types = type.map { AllowedTypes.required([$0]) } ?? .any
    let jws: VerifiedJWS
    do {
      jws = try token.verified(by: keys, algorithms: algorithms, allowedTypes: types)
    } catch {
      throw .signature(error.code)
    }
    if isSignatureOnly { return Verified(header: jws.header, payload: jws.payload, claims: nil) }
    guard let claims = try? JWTClaims(payload: jws.payload) else { throw .noClaims }
    try checkTimes(claims, now: now)
    try checkParties(claims)
    return Verified(header: jws.header, payload: jws.payload, claims: claims.object)
  }

  /// Each of the times may be absent. A token is dead at `exp`, not after it (RFC 7519 section 4.1.4).
  private func checkTimes(_ claims: JWTClaims, now: Int) throws(TokenFault) {
    let skew = min(max(clockSkew, 0), Self.largestClockSkew)
    if let end = try Self.read("exp", { () throws(JOSEError) in try claims.expiresAt }), end <= now - skew {
      throw .expired(at: end)
    }
    if let start = try Self.read("nbf", { () throws(JOSEError) in try claims.notBefore }), start > now + skew {
      throw .notYetValid(until: start)
    }
    if let issued = try Self.read("iat", { () throws(JOSEError) in try claims.issuedAt }), issued > now + skew {
      throw .issuedInFuture(at: issued)
    }
  }

  /// `iss` and `aud` are read even where any will do: a token with a malformed one is none (RFC 7519 section 4.1).
  private func checkParties(_ claims: JWTClaims) throws(TokenFault) {
    let found = try Self.read("iss") { () throws(JOSEError) in try claims.issuer }
    if let issuer, !(found.map { $0.utf8.elementsEqual(issuer.utf8) } ?? false) {
      throw .otherIssuer(isMissing: found == nil)
    }
    let audiences = try Self.read("aud") { () throws(JOSEError) in try claims.audience }
    if let audience, !(audiences?.contains { $0.utf8.elementsEqual(audience.utf8) } ?? false) {
      throw .otherAudience(isMissing: audiences == nil)
    }
    _ = try Self.read("sub") { () throws(JOSEError) in try claims.subject }
  }

  private static func read<Value>(
    _ claim: String, _ value: () throws(JOSEError) -> Value?
  ) throws(TokenFault) -> Value? {
    do { return try value() } catch { throw .malformedClaim(claim) }
  }
}
