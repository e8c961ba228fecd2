import Crypto
import Encoding
import Testing

@Suite struct `A private key in a file` {
  /// The result without the key itself.
  private struct Read: Equatable {
    var components: PublicComponents
    var keyID: String?
    var algorithm: JWSAlgorithm?
  }

  private func read(_ text: String) throws -> Read {
    let bytes = Array(text.utf8)
    let key = try ImportedPrivateKey.read(bytes.span)
    return Read(components: key.key.publicComponents, keyID: key.keyID, algorithm: key.algorithm)
  }

  private func error(_ text: String) -> JOSEError.Code? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return (error as? JOSEError)?.code
    }
  }

  private static let all =
    [
      PrivateKeyVectors.ec, PrivateKeyVectors.ecPKCS8, PrivateKeyVectors.rsa, PrivateKeyVectors.ed25519,
      PrivateKeyVectors.jwkRSA, PrivateKeyVectors.jwkEC, PrivateKeyVectors.jwkEd25519,
    ] + PrivateKeyVectors.jwkWithoutZeros

  /// Signs with the parsed key, and verifies with its public half.
  @Test(arguments: all) func `signs`(text: String) throws {
    let bytes = Array(text.utf8)
    let read = try ImportedPrivateKey.read(bytes.span)
    let algorithm: JWSAlgorithm =
      switch read.key.kind {
      case .rsa: .PS256
      case .raw: .EdDSA
      default: .ES256
      }
    let token = try JWSSigner.sign(header: [:], payload: Array("{}".utf8), key: read.key, algorithm: algorithm)
    let parts = token.utf8.split(separator: UInt8(ascii: "."))
    let message = Array(token.utf8.prefix(parts[0].count + 1 + parts[1].count))
    let signature = try Base64URL.decode(String(Substring(parts[2])))
    #expect(
      try read.key.publicKey().verify(
        algorithm.signatureAlgorithm, signature: signature.span, message: message.span))
  }

  @Test func `is the same in each form of PEM`() throws {
    #expect(try read(PrivateKeyVectors.ec) == read(PrivateKeyVectors.ecPKCS8))
    #expect(try read("a line of explanation\n" + PrivateKeyVectors.ecPKCS8) == read(PrivateKeyVectors.ec))
  }

  private struct Device: KeyDevice {
    func makeKey() throws(CryptoError) -> TPM.Key { throw CryptoError(.unreachable, "test") }
    func sign(digest: [UInt8], with _: TPM.Key) throws(CryptoError) -> [UInt8] {
      throw CryptoError(.unreachable, "test")
    }
  }

  /// By openssl, for a P-256 key that it created in a software TPM.
  private static let held = """
    MIHwBgZngQUKAQOgAwEBAQIEQAAAAQRYAFYAIwALAAYAcgAAABAAEAADABAAIMQK
    D+utlldRAbtb/27dByMHep+CJFoWmhdse3Y7oNOFACCGmA3YK3dJifcStheZyaUH
    StOiE6Gi/HH9TPyANfIK0wSBgAB+ACATJ7UcQuRzlSHlZiJRr0Z4WO3A8GESrtpR
    A2k+tyqzygAQo9EjqKFpHi4GIEhQIilrhnj7S/toGSZUzkRrUYUhko5qqg6GAs+i
    V4Cn41TPngey+6KuifzlWwI+J1MvshhBCkfjUfko2oPBobJTMNqlZ162wAuDDSyo
    I+jb
    """

  private func readHeld(in device: (any KeyDevice)?, _ change: (inout [UInt8]) -> Void = { _ in }) throws -> (
    isHeld: Bool, kind: PublicKey.Kind
  ) {
    var bytes = try Base64.decode(Self.held.split(separator: "\n").joined())
    change(&bytes)
    let text = Array(PEM.text("TSS2 PRIVATE KEY", bytes).utf8)
    let read = try ImportedPrivateKey.read(text.span, in: device)
    return (read.key.isInDevice, read.key.kind)
  }

  @Test func `may be one that a TPM has, which is not asked`() throws {
    let read = try readHeld(in: Device())
    #expect(read.isHeld && read.kind == .ec(.p256))
  }

  @Test func `that a TPM has is refused where there is none, with a problem, or beside another`() throws {
    #expect(throws: JOSEError(.unsupportedKey)) { try readHeld(in: nil) }
    // The authorization flag; the curve; the end.
    #expect(throws: JOSEError(.authorizationNeeded)) { try readHeld(in: Device()) { $0[15] = 0 } }
    #expect(throws: JOSEError(.unsuitableDeviceKey)) { try readHeld(in: Device()) { $0[41] = 4 } }
    #expect(throws: JOSEError(.invalidKey)) { try readHeld(in: Device()) { $0.removeLast() } }
    let both = Array((PrivateKeyVectors.ecPKCS8 + "\n" + PEM.text("TSS2 PRIVATE KEY", [0x30])).utf8)
    #expect(throws: JOSEError(.invalidKey)) { _ = try ImportedPrivateKey.read(both.span, in: Device()) }
  }

  // RFC 7517 sections 4.4 and 4.5.
  @Test func `has a name and an algorithm when it is a JSON Web Key that tells them`() throws {
    let key = try read(PrivateKeyVectors.jwkEC)
    #expect(key.keyID == "k1" && key.algorithm == .ES256)
    let plain = try read(PrivateKeyVectors.jwkEd25519)
    #expect(plain.keyID == nil && plain.algorithm == nil)
  }

  @Test(arguments: PrivateKeyVectors.encrypted) func `behind a passphrase is told apart`(text: String) {
    #expect(error(text) == .passphraseNeeded)
  }

  @Test func `is refused when it is too weak or of no use for signatures`() {
    #expect(error(PrivateKeyVectors.weakRSA) == .invalidKey)
    #expect(error(PrivateKeyVectors.x25519) == .unsupportedKey)
    #expect(error(#"{"kty":"oct","k":"AAAA"}"#) == .unsupportedKey)
    let jwk = PrivateKeyVectors.jwkEC
    #expect(error(jwk.replacing(#""sig""#, with: #""enc""#)) == .unsuitableKey)
    #expect(error(jwk.replacing(#""alg":"ES256""#, with: #""alg":"RS256""#)) == .unsuitableKey)
    #expect(error(jwk.replacing(#""alg":"ES256""#, with: #""alg":"HS256""#)) == .unsupportedKey)
    #expect(error(jwk.replacing(#""use":"sig""#, with: #""key_ops":["verify"]"#)) == .unsuitableKey)
    #expect(error(jwk.replacing(#""use":"sig""#, with: #""key_ops":["sign"]"#)) == nil)
  }

  // RFC 7518 section 6.3.2.7.
  @Test func `is refused when it has more than two primes`() {
    let jwk = PrivateKeyVectors.jwkRSA
    #expect(error(jwk.replacing("\"kty\":", with: #""oth":[{"r":"AQ","d":"AQ","t":"AQ"}],"kty":"#)) == .unsupportedKey)
  }

  @Test func `is refused when its name could not be an argument`() {
    let jwk = PrivateKeyVectors.jwkRSA.replacing("\"kid\":", with: "\"_kid\":")
    #expect(error(jwk.replacing("\"kty\":", with: #""kid":"a b","kty":"#)) == nil)
    #expect(error(jwk.replacing("\"kty\":", with: #""kid":"a\u0000b","kty":"#)) == .invalidKey)
  }

  @Test func `is refused when its halves do not belong together`() {
    #expect(error(PrivateKeyVectors.jwkEC.replacing("jpsQnnGQ", with: "jpsQnnGR")) == .invalidKey)
    #expect(error(PrivateKeyVectors.jwkEd25519.replacing("nWGxne", with: "nWGxnf")) == .invalidKey)
    #expect(error(PrivateKeyVectors.jwkRSA.replacing("Eq5xpGnN", with: "Eq5xpGnO")) == .invalidKey)
  }

  @Test(arguments: ["d", "x", "y", "kty", "crv"]) func `is refused without a member that it needs`(name: String) {
    #expect(error(PrivateKeyVectors.jwkEC.replacing("\"\(name)\":", with: "\"_\(name)\":")) != nil)
  }

  @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "n", "e"]) func `needs every number of an RSA key`(name: String) {
    #expect(error(PrivateKeyVectors.jwkRSA.replacing("\"\(name)\":", with: "\"_\(name)\":")) == .invalidKey)
  }

  @Test(arguments: ["", " \n", "{", "{}", "[]", "text", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----"])
  func `is refused when it is none`(text: String) {
    #expect(error(text) == .invalidKey)
  }

  @Test func `is refused when two are in the file`() {
    #expect(error(PrivateKeyVectors.ecPKCS8 + "\n" + PrivateKeyVectors.ecPKCS8) == .invalidKey)
  }

  @Test(arguments: [PrivateKeyVectors.ecPKCS8, PrivateKeyVectors.jwkEd25519])
  func `is refused when it is cut off anywhere`(text: String) {
    for count in 0..<text.utf8.count { #expect(error(String(text.prefix(count))) != nil, "\(count)") }
  }
}

extension String {
  fileprivate func replacing(_ text: String, with other: String) -> String {
    guard let start = utf8.firstRange(of: text) else { return self }
    return String(self[..<start.lowerBound]) + other + String(self[start.upperBound...])
  }
}

extension String.UTF8View {
  fileprivate func firstRange(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].starts(with: text.utf8) {
        return start..<index(start, offsetBy: text.utf8.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
