import Crypto
import Encoding
import Testing

@Suite struct `Public keys in PEM form` {
  private static func read(_ text: String) throws(JOSEError) -> JWKSet { try JWKSet(pem: Array(text.utf8).span) }

  private static func privateKey(_ text: String) throws -> ImportedPrivateKey {
    let bytes = Array(text.utf8)
    return try ImportedPrivateKey.read(bytes.span)
  }

  @Test(arguments: [
    (PublicKeyVectors.ec, PrivateKeyVectors.ec, JWSAlgorithm.ES256),
    (PublicKeyVectors.certificate, PrivateKeyVectors.ec, .ES256), (PublicKeyVectors.rsa, PrivateKeyVectors.rsa, .PS256),
    (PublicKeyVectors.rsaPKCS1, PrivateKeyVectors.rsa, .RS256),
    (PublicKeyVectors.ed25519, PrivateKeyVectors.ed25519, .EdDSA),
  ])
  func `verify what their private half signs, whatever name the token has for it`(
    text: String, secret: String, algorithm: JWSAlgorithm
  ) throws {
    let read = try Self.privateKey(secret)
    for header: JSONObject in [["kid": "any"], [:]] {
      let token = try JWSSigner.sign(header: header, payload: Array("{}".utf8), key: read.key, algorithm: algorithm)
      for spelling in [text, text.replacing("\n", with: "\r\n"), "a comment\n" + text + "\n"] {
        let set = try Self.read(spelling)
        #expect(set.keys.map(\.components) == [read.key.publicComponents])
        let signed = try UnverifiedJWS(compact: Array(token.utf8).span)
        #expect(try signed.verified(by: set, algorithms: [algorithm]).payload == Array("{}".utf8))
      }
    }
  }

  @Test func `are chosen by the algorithm, and never at random`() throws {
    let set = try Self.read(PublicKeyVectors.ec + "\n" + PublicKeyVectors.rsa)
    #expect(try set.key(for: .ES256, keyID: "x").keyID == nil && set.key(for: .PS512, keyID: nil).keyID == nil)
    #expect(throws: JOSEError(.unknownKey)) { try set.key(for: .EdDSA, keyID: nil) }
    let twice = try Self.read(PublicKeyVectors.rsa + "\n" + PublicKeyVectors.rsaPKCS1)
    #expect(try twice.key(for: .RS256, keyID: "x").components == twice.keys[1].components)
    let two = try Self.read(PublicKeyVectors.ec + "\n" + PublicKeyVectors.otherEC)
    #expect(throws: JOSEError(.ambiguousKey)) { try two.key(for: .ES256, keyID: "x") }
  }

  @Test(arguments: [
    (PublicKeyVectors.weakRSA, JOSEError.Code.weakKey), (PublicKeyVectors.x25519, .unsupportedKey),
    (PrivateKeyVectors.ec, .embeddedPrivateKey), (PrivateKeyVectors.rsa, .embeddedPrivateKey),
    (PublicKeyVectors.ec + "\n" + PrivateKeyVectors.ed25519, .embeddedPrivateKey), ("", .invalidKeySet),
    ("-----BEGIN PUBLIC KEY-----\nAAAA", .invalidKeySet),
    ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", .invalidKey),
    ("-----BEGIN PUBLIC KEY-----\n?\n-----END PUBLIC KEY-----", .invalidKey),
    ("-----BEGIN DH PARAMETERS-----\nAAAA\n-----END DH PARAMETERS-----", .invalidKeySet),
    // Bytes after the key.
    (PublicKeyVectors.ed25519.replacing("SEE=", with: "SEEA"), .invalidKey),
  ])
  func `are refused when they are none`(text: String, code: JOSEError.Code) {
    #expect(throws: JOSEError(code)) { try Self.read(text) }
  }
}
