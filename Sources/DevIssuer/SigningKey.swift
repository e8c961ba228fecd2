import Crypto
import Encoding
import JOSE

/// The key that signs ID Tokens, made at the start and gone with the process.
final class SigningKey: Sendable {
  let algorithm: JWSAlgorithm
  let keyID: String
  /// The public half (RFC 7517 section 4).
  let jwk: JSON
  private let key: PrivateKey

  init(_ algorithm: JWSAlgorithm) throws(CryptoError) {
    self.algorithm = algorithm
    keyID = Base64URL.encode(try Random.bytes(12))
    key = try Self.generate(algorithm)
    var members = Self.members(of: key.publicComponents)
    members["kid"] = .string(keyID)
    members["alg"] = .string(algorithm.rawValue)
    members["use"] = "sig"
    jwk = .object(members)
  }

  /// The claims as a signed JWT in compact form (RFC 7515 section 7.1, RFC 7519 section 7.1).
  func sign(_ claims: JSONObject) throws(JOSEError) -> String {
    try JWSSigner.sign(
      header: ["alg": .string(algorithm.rawValue), "typ": "JWT", "kid": .string(keyID)],
      payload: JSON.object(claims).serialized(), key: key, algorithm: algorithm)
  }

  private static func generate(_ algorithm: JWSAlgorithm) throws(CryptoError) -> PrivateKey {
    switch algorithm {
    case .ES256: try .generateEC(.p256)
    case .ES384: try .generateEC(.p384)
    case .ES512: try .generateEC(.p521)
    case .EdDSA, .Ed25519: try .generateEd25519()
    case .RS256, .RS384, .RS512, .PS256, .PS384, .PS512: try .generateRSA(bits: 2048)
    }
  }

  /// RFC 7518 section 6 and RFC 8037 section 2.
  private static func members(of components: PublicComponents) -> JSONObject {
    switch components {
    case .rsa(let modulus, let exponent):
      ["kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent))]
    case .ec(let curve, let x, let y):
      [
        "kty": "EC", "crv": .string(name(of: curve)), "x": .string(Base64URL.encode(x)),
        "y": .string(Base64URL.encode(y)),
      ]
    case .ed25519(let x):
      ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(x))]
    }
  }

  private static func name(of curve: Curve) -> String {
    switch curve {
    case .p256: "P-256"
    case .p384: "P-384"
    case .p521: "P-521"
    }
  }
}
