import Crypto
import Encoding
import Platform
import TestSupport

/// A key, and tokens signed with it, for tests without a server.
final class SignedTokens: Sendable {
  private let key: PrivateKey
  private let algorithm: JWSAlgorithm
  let keyID: String

  init(_ algorithm: JWSAlgorithm = .ES256, keyID: String = "k") throws {
    switch algorithm {
    case .ES256: key = try .generateEC(.p256)
    case .RS256: key = try .generateRSA(bits: 2048)
    default: key = try .generate(.ed25519)
    }
    self.algorithm = algorithm
    self.keyID = keyID
  }

  /// Uses a given P-256 key, in DER and base64.
  static func signing(withKey base64: String) throws -> SignedTokens {
    let bytes = try Base64.decode(base64)
    return SignedTokens(owning: try PrivateKey(serialized: bytes.span))
  }

  private init(owning key: consuming PrivateKey) {
    self.key = key
    algorithm = .ES256
    keyID = "k"
  }

  func keySet() throws -> String {
    String(decoding: JWKSet([try JWK(key.publicComponents, keyID: keyID)]).serialized(), as: UTF8.self)
  }

  func jwk() throws -> String {
    String(decoding: JSON.object(try JWK(key.publicComponents, keyID: keyID).published).serialized(), as: UTF8.self)
  }

  /// The key as a SubjectPublicKeyInfo in PEM form (RFC 5480 section 2, RFC 8410 section 4).
  func publicPEM() throws -> String {
    let der: [UInt8]
    switch key.publicComponents {
    case .ec(_, let x, let y):
      let start = [0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01] as [UInt8]
      der = start + [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04] + x + y
    case .raw(.ed25519, let x): der = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + x
    case .rsa: throw JOSEError(.unsupportedKey)
    }
    return "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(der))\n-----END PUBLIC KEY-----\n"
  }

  static var claims: JSONObject {
    let now = SystemTime().wallSeconds()
    return [
      "iss": "https://id.example.com", "sub": "ann", "aud": ["my-cli"], "exp": .int(now + 600), "iat": .int(now),
    ]
  }

  /// A token with some claims and header members changed, or removed if nil.
  func token(_ changes: [(String, JSON?)] = [], header: [(String, JSON?)] = []) throws -> String {
    var claims = Self.claims
    for (name, value) in changes { claims[name] = value }
    return try token(payload: JSON.object(claims).serialized(), header: header)
  }

  func token(payload: [UInt8], header changes: [(String, JSON?)] = []) throws -> String {
    var header: JSONObject = ["typ": "JWT", "kid": .string(keyID)]
    for (name, value) in changes { header[name] = value }
    return try JWSSigner.sign(header: header, payload: payload, key: key, algorithm: algorithm)
  }

  func write(to tree: AgentTree, tokens: String = "jwt", keys: String = "jwks") throws {
    try tree.directory.write(tokens, try token() + "\n")
    try tree.directory.write(keys, try keySet())
  }
}
