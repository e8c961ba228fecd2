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

  /// The header of what it signs; the signer sets `alg`.
  var header: JSONObject { ["alg": .string(algorithm.rawValue), "typ": "JWT", "kid": .string(keyID)] }

  /// The claims as a signed JWT in compact form (RFC 7515 section 7.1, RFC 7519 section 7.1).
  ///
  /// - Parameters:
  ///   - header: nil for the usual one.
  ///   - algorithm: nil for the one of the key.
  func sign(
    _ claims: JSONObject, header: JSONObject? = nil, algorithm: JWSAlgorithm? = nil
  ) throws(JOSEError) -> String {
    try sign(JSON.object(claims).serialized(), header: header ?? self.header, algorithm: algorithm)
  }

  func sign(
    _ payload: [UInt8], header: JSONObject, algorithm: JWSAlgorithm? = nil
  ) throws(JOSEError) -> String {
    try JWSSigner.sign(header: header, payload: payload, key: key, algorithm: algorithm ?? self.algorithm)
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
