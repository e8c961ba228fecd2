package import Crypto
package import Encoding
internal import OAuth

/// A proof of possession as verified by its receiver (RFC 9449 section 4.3).
package struct ReadProof {
  package let header: JSONObject
  package let claims: JSONObject
  package let key: JWK

  package var thumbprint: String { key.thumbprint() }

  /// Throws for a missing proof, too.
  package init(_ text: String?) throws {
    let bytes = Array((text ?? "").utf8)
    let jws = try UnverifiedJWS(compact: bytes.span)
    key = try JWK(jws.header["jwk"]?.object ?? JSONObject())
    let verified = try jws.verified(
      by: JWKSet([key]), algorithms: Set(DPoPKey.algorithms), allowedTypes: .required(["dpop+jwt"]))
    header = verified.header
    claims = try JWTClaims(payload: verified.payload).object
  }
}
