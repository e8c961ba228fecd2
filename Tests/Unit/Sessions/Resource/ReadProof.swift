import Encoding
import Crypto
import OAuth
import Testing

/// A proof of possession as verified by its receiver (RFC 9449 section 4.3).
struct ReadProof {
  let thumbprint: String
  let claims: JSONObject

  init(_ text: String?) throws {
    let bytes = Array(try #require(text).utf8)
    let jws = try UnverifiedJWS(compact: bytes.span)
    let key = try JWK(try #require(jws.header["jwk"]?.object))
    let verified = try jws.verified(
      by: JWKSet([key]), algorithms: Set(DPoPKey.algorithms), allowedTypes: .required(["dpop+jwt"]))
    thumbprint = key.thumbprint()
    claims = try JWTClaims(payload: verified.payload).object
  }
}
