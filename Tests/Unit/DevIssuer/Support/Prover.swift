import Crypto
import Encoding
import Testing

@testable import devissuer

/// Creates valid and invalid DPoP proofs.
final class Prover: Sendable {
  private let key: PrivateKey
  private let algorithm: JWSAlgorithm
  let jwk: JWK

  init(_ key: consuming PrivateKey, _ algorithm: JWSAlgorithm) throws {
    jwk = try JWK(key.publicComponents)
    self.key = key
    self.algorithm = algorithm
  }

  convenience init() throws { try self.init(.generateEC(.p256), .ES256) }

  func proof(
    _ method: String, _ url: String, token: String? = nil, nonce: String? = nil,
    header changedHeader: JSONObject = [:], claims changedClaims: JSONObject = [:]
  ) throws -> String {
    var header: JSONObject = ["typ": "dpop+jwt", "jwk": .object(jwk.requiredMembers)]
    for name in changedHeader.names { header[name] = changedHeader[name] }
    var claims: JSONObject = [
      "jti": .string(Base64URL.encode(try Random.bytes(16))), "htm": .string(method), "htu": .string(url),
      "iat": .int(TestIssuer.startSeconds),
    ]
    if let token { claims["ath"] = .string(Base64URL.encode(try Digest.sha256.hash(Array(token.utf8).span))) }
    claims["nonce"] = nonce.map { .string($0) }
    for name in changedClaims.names { claims[name] = changedClaims[name] == .null ? nil : changedClaims[name] }
    return try JWSSigner.sign(
      header: header, payload: JSON.object(claims).serialized(), key: key, algorithm: algorithm)
  }
}
