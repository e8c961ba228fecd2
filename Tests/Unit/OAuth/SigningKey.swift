import Crypto
import Encoding
import OAuth

/// A key of the test issuer, with its set. Each is generated once.
final class SigningKey: Sendable {
  struct Keys: Sendable {
    fileprivate let all: [JWSAlgorithm: SigningKey]

    func get(_ algorithm: JWSAlgorithm) throws -> SigningKey {
      guard let key = all[algorithm] else { throw JOSEError(.unsupportedKey) }
      return key
    }
  }

  static let shared = Keys(
    all: [
      .RS256: try? SigningKey(.generateRSA(bits: 2048), .RS256, "rsa"),
      .ES256: try? SigningKey(.generateEC(.p256), .ES256, "ec"),
      .ES384: try? SigningKey(.generateEC(.p384), .ES384, "ec384"),
      .EdDSA: try? SigningKey(.generate(.ed25519), .EdDSA, "ed"),
    ].compactMapValues { $0 })

  let key: PrivateKey
  let algorithm: JWSAlgorithm
  let name: String
  let set: JWKSet

  init(_ key: consuming PrivateKey, _ algorithm: JWSAlgorithm, _ name: String) throws {
    set = JWKSet([try JWK(key.publicComponents, keyID: name, algorithm: algorithm)])
    self.key = key
    self.algorithm = algorithm
    self.name = name
  }

  func sign(_ claims: JSONObject, header: JSONObject = ["typ": "JWT"]) throws -> String {
    var header = header
    header["kid"] = .string(name)
    let payload = JSON.object(claims).serialized()
    return try JWSSigner.sign(header: header, payload: payload, key: key, algorithm: algorithm)
  }
}
