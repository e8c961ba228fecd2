import Crypto
import Encoding

/// The key that signs ID Tokens, generated at the start and never stored.
final class IssuerKey: Sendable {
  let algorithm: JWSAlgorithm
  let keyID: String
  /// The public half of the key (RFC 7517 section 4).
  let jwk: JSON
  private let key: PrivateKey

  init(_ algorithm: JWSAlgorithm) throws {
    self.algorithm = algorithm
    keyID = Base64URL.encode(try Random.bytes(12))
    key =
      switch algorithm {
      case .ES256: try .generateEC(.p256)
      case .ES384: try .generateEC(.p384)
      case .ES512: try .generateEC(.p521)
      case .EdDSA, .Ed25519: try .generate(.ed25519)
      case .RS256, .RS384, .RS512, .PS256, .PS384, .PS512: try .generateRSA(bits: 2048)
      }
    jwk = .object(try JWK(key.publicComponents, keyID: keyID, algorithm: algorithm).published)
  }

  var header: JSONObject { ["alg": .string(algorithm.rawValue), "typ": "JWT", "kid": .string(keyID)] }

  /// Signs a token in compact form (RFC 7515 section 7.1), by default with the key's algorithm.
  func sign(_ header: JSONObject, _ payload: [UInt8], algorithm: JWSAlgorithm? = nil) throws -> String {
    try JWSSigner.sign(header: header, payload: payload, key: key, algorithm: algorithm ?? self.algorithm)
  }

  /// The left half of a hash, as in `at_hash` (OpenID Connect Core section 3.1.3.6).
  func leftHalfHash(of text: String) throws -> String {
    let hash = try algorithm.digest.hash(Array(text.utf8).span)
    return Base64URL.encode(Array(hash.prefix(hash.count / 2)))
  }

  /// The JWK Set, which contains only the public half.
  var published: JSON { ["keys": [jwk]] }

  /// Creates a token with the MAC HS256 (RFC 7518 section 3.2).
  static func authenticate(_ header: JSONObject, _ payload: [UInt8], secret: [UInt8]) throws -> String {
    let text = Base64URL.encode(JSON.object(header).serialized()) + "." + Base64URL.encode(payload)
    return text + "." + Base64URL.encode(try HMAC.sha256(key: secret.span, Array(text.utf8).span))
  }
}

/// Creates texts that others cannot create.
struct Seal: Sendable {
  private let secret: [UInt8]

  init() throws { secret = try Random.bytes(32) }

  /// A text's keyed hash, for one purpose.
  func callAsFunction(_ purpose: String, _ text: String) throws -> String {
    Base64URL.encode(try HMAC.sha256(key: secret.span, Array("\(purpose) \(text)".utf8).span))
  }

  /// 256 random bits as text (RFC 6749 section 10.10), also for keys of tables.
  static func opaque() throws -> String { Base64URL.encode(try Random.bytes(32)) }

  static func isSame(_ one: String, _ other: String) -> Bool {
    ConstantTime.isEqual(Array(one.utf8).span, Array(other.utf8).span)
  }
}
