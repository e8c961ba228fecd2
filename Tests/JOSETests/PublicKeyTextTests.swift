import Crypto
import Encoding
import JOSE
import Testing

@Suite struct `Public keys in PEM form` {
  private static func read(_ text: String) throws(JOSEError) -> JWKSet { try JWKSet(pem: Array(text.utf8).span) }

  private static func privateKey(_ text: String) throws -> PrivateKeyText {
    let bytes = Array(text.utf8)
    return try PrivateKeyText.read(bytes.span)
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

@Suite struct `The secret of an HMAC in a file` {
  private static func read(_ bytes: [UInt8]) throws(JOSEError) -> MACKey { try MACKey(bytes.span) }

  private static func secret(_ bytes: [UInt8]) throws -> [UInt8] {
    try read(bytes).secret.bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  private static let text = Array("correct horse battery staple 0123456789".utf8)

  @Test func `is its bytes, without the end of the line of a text`() throws {
    for end in ["", "\n", "\r\n"] { #expect(try Self.secret(Self.text + Array(end.utf8)) == Self.text) }
    #expect(try Self.secret(Self.text + Array(" \n".utf8)) == Self.text + [0x20])
    let binary = [UInt8](0..<31) + [0x0A]
    #expect(try Self.secret(binary) == binary)
  }

  @Test func `may be a JSON Web Key`() throws {
    let value = Base64URL.encode(Self.text)
    let key = try Self.read(Array(#"{"kty":"oct","k":"\#(value)","alg":"HS256","kid":"a"}"#.utf8))
    #expect(key.algorithm == .HS256)
    #expect(try Self.secret(Array(" {\"kty\":\"oct\",\"k\":\"\(value)\"}\n".utf8)) == Self.text)
    for (members, code) in [
      (#""alg":"RS256""#, JOSEError.Code.unsupportedKey), (#""alg":"HS512""#, .weakKey),
      (#""use":"enc""#, .unsuitableKey),
      (#""key_ops":["sign"]"#, .unsuitableKey),
    ] {
      #expect(throws: JOSEError(code)) {
        try Self.read(Array(#"{"kty":"oct","k":"\#(value)",\#(members)}"#.utf8))
      }
    }
    #expect(throws: JOSEError(.invalidKey)) { try Self.read(Array(#"{"kty":"oct"}"#.utf8)) }
  }

  @Test func `is as long as the shortest hash`() {
    for bytes in [[UInt8](), Array("short".utf8), [UInt8](repeating: 7, count: 31)] {
      #expect(throws: JOSEError(.weakKey)) { try Self.read(bytes) }
    }
  }

  @Test func `has 16,384 bytes at most`() throws {
    let longest = [UInt8](repeating: 0x61, count: 16_384)
    #expect(try Self.secret(longest) == longest)
    #expect(throws: JOSEError(.tooLong)) { try Self.read(longest + [0x61]) }
  }

  private static func body(_ pem: String) -> String {
    pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined(separator: "\n")
  }

  /// Public and private keys and certificates in common file formats.
  private static let others: [[UInt8]] = {
    let texts = [
      PublicKeyVectors.ec, PublicKeyVectors.rsa, PublicKeyVectors.rsaPKCS1, PublicKeyVectors.ed25519,
      PublicKeyVectors.weakRSA, PublicKeyVectors.x25519, PublicKeyVectors.certificate, PrivateKeyVectors.ecPKCS8,
      PrivateKeyVectors.rsa,
    ]
    let web = [
      PrivateKeyVectors.jwkRSA, PrivateKeyVectors.jwkEC, PrivateKeyVectors.jwkEd25519,
      #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#,
      #"{"kty":"RSA","k":"AAAA","n":"AA","e":"AQAB"}"#, #"[{"kty":"RSA"}]"#, "\u{FEFF}" + #"{"kty":"RSA","n":"AA"}"#,
      #"{"kty":"RSA","n":"AA",}"#, #"{"\u006bty":"RSA","n":"AA","e":"AQAB"}"#,
    ]
    let shell = [
      "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ user", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI user",
      "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY user",
      "---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----",
    ]
    let bodies = texts.map(body)
    let ders = bodies.compactMap { try? Base64.decode($0.replacing("\n", with: "")) }
    let encoded = (texts + web).map { Base64.encode(Array($0.utf8)) }
    return (texts + web + shell + bodies + encoded).map { Array($0.utf8) } + ders + ders.map { $0 + [0x0A] }
      + ders.map { Array(Base64URL.encode($0).utf8) } + texts.map { Array((" \n" + $0).utf8) }
  }()

  @Test(arguments: others) func `is never half of a key pair`(bytes: [UInt8]) {
    #expect(throws: JOSEError(.unsuitableKey)) { try Self.read(bytes) }
  }
}
