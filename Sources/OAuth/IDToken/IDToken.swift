package import Crypto
package import Encoding

/// An ID Token verified by ``verify(_:keys:expecting:)``.
package struct IDToken: Sendable {
  package let identity: IdentityRecord
  package let claims: JSONObject
  package let algorithm: IDTokenAlgorithm
  /// `iat`, in unix seconds.
  package let issuedAt: Int
  /// `exp`, in unix seconds.
  package let expiresAt: Int

  /// Verifies the signature, then the claims (OpenID Connect Core section 3.1.3.7 and, on refresh, 12.2).
  ///
  /// - Throws: ``IDTokenError``. If its fault has `needsNewKeys`, fetch the keys once and retry.
  package static func verify(
    _ compact: SharedSecret, keys: JWKSet, expecting expected: IDTokenExpectation
  ) throws(IDTokenError) -> IDToken {
    let (payload, algorithm, keyIssuer): ([UInt8], IDTokenAlgorithm, String?)
    let claims: JWTClaims
    do throws(JOSEError) {
      (payload, algorithm, keyIssuer) = try open(compact, keys, expected)
      claims = try JWTClaims(payload: payload)
    } catch {
      throw IDTokenError(.signature(error.code))
    }
    let rules = IDTokenRules(
      reader: ClaimReader(claims: claims), algorithm: algorithm, expected: expected, keyIssuer: keyIssuer)
    let checked: (identity: IdentityRecord, issuedAt: Int, expiresAt: Int)
    do { checked = try rules.check() } catch { throw IDTokenError(error) }
    return IDToken(
      identity: checked.identity, claims: claims.object, algorithm: algorithm, issuedAt: checked.issuedAt,
      expiresAt: checked.expiresAt)
  }

  /// Verifies the signature. Returns payload, algorithm and the key's issuer, if known. Settings, not the token, choose
  /// between key and secret (section 3.1.3.7, steps 7 and 8).
  private static func open(
    _ compact: SharedSecret, _ keys: JWKSet, _ expected: IDTokenExpectation
  ) throws(JOSEError) -> ([UInt8], IDTokenAlgorithm, String?) {
    guard let shared = expected.secret else {
      let token = try compact.bytes.withBytes { (text) throws(JOSEError) in try UnverifiedJWS(compact: text) }
      let verified = try token.verified(by: keys, algorithms: expected.algorithms)
      return (verified.payload, .signature(verified.algorithm), verified.keyIssuer)
    }
    let token = try compact.bytes.withBytes { (text) throws(JOSEError) in try UnverifiedMAC(compact: text) }
    let verified = try shared.secret.bytes.withBytes { (secret) throws(JOSEError) in
      try token.verified(by: secret, algorithm: shared.algorithm)
    }
    return (verified.payload, .secret(verified.algorithm), nil)
  }

  fileprivate init(
    identity: IdentityRecord, claims: JSONObject, algorithm: IDTokenAlgorithm, issuedAt: Int, expiresAt: Int
  ) {
    self.identity = identity
    self.claims = claims
    self.algorithm = algorithm
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
  }
}
