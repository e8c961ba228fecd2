package import Crypto
package import Encoding
package import JOSE

/// An ID Token that was verified. There is no other way to get one.
package struct IDToken: Sendable {
  package let identity: IdentityRecord
  /// All claims, known or not.
  package let claims: JSONObject
  /// What it is signed with.
  package let algorithm: JWSAlgorithm
  /// Unix seconds.
  package let issuedAt: Int
  /// Unix seconds.
  package let expiresAt: Int

  /// Verifies the signature and the claims of an ID Token.
  ///
  /// The signature comes first, so that no unverified claim is looked at; then the claims in the order of
  /// OpenID Connect Core 1.0 section 3.1.3.7, and on refresh those of section 12.2. The first failure ends
  /// it. Nothing is fetched: `keys` is the whole trust.
  ///
  /// - Parameter keys: The JWK Set from the `jwks_uri` of this issuer's own metadata.
  /// - Throws: ``IDTokenError``; when its `needsNewKeys` is set, fetching the keys once may help.
  package static func verify(
    _ compact: SharedSecret, keys: JWKSet, expecting expected: IDTokenExpectation
  ) throws(IDTokenError) -> IDToken {
    let jws: VerifiedJWS
    let claims: JWTClaims
    do throws(JOSEError) {
      let token = try compact.bytes.withBytes { (text) throws(JOSEError) in try UnverifiedJWS(compact: text) }
      jws = try token.verified(by: keys, algorithms: expected.algorithms)
      claims = try JWTClaims(payload: jws.payload)
    } catch {
      throw IDTokenError(.signature(error.code))
    }
    let rules = IDTokenRules(claims: claims, algorithm: jws.algorithm, expected: expected)
    let checked = try rules.check()
    return IDToken(
      identity: checked.identity, claims: claims.object, algorithm: jws.algorithm, issuedAt: checked.issuedAt,
      expiresAt: checked.expiresAt)
  }

  fileprivate init(
    identity: IdentityRecord, claims: JSONObject, algorithm: JWSAlgorithm, issuedAt: Int, expiresAt: Int
  ) {
    self.identity = identity
    self.claims = claims
    self.algorithm = algorithm
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
  }
}
