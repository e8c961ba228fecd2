import Encoding
import Platform
import Testing
import Vocabulary

@testable import Crypto

@testable import OAuth

// RFC 9449 section 4.
@Suite struct `A proof of possession` {
  private static let key = Result { try DPoPKey.generate() }

  private func read(
    _ method: String = "POST", _ url: String = "https://server.example.com/token", token: String? = nil,
    nonce: String? = nil
  ) throws -> ReadProof {
    let proof = DPoPProof(
      method: method, url: try URI(url), accessToken: try token.map(secret), nonce: nonce, issuedAt: 1_562_262_616)
    return try ReadProof(proof.signed(by: Self.key.get()))
  }

  @Test func `has the header and the claims of section 4.2, and no others`() throws {
    let proof = try read()
    #expect(Set(proof.header.names) == ["typ", "alg", "jwk"])
    #expect(proof.header["typ"] == "dpop+jwt" && proof.header["alg"] == "ES256")
    #expect(proof.claims.names == ["jti", "htm", "htu", "iat"])
    #expect(proof.claims["htm"] == "POST")
    #expect(proof.claims["htu"] == "https://server.example.com/token")
    #expect(proof.claims["iat"] == 1_562_262_616)
  }

  @Test func `holds the public key and no private part of it`() throws {
    let members = try #require(try read().header["jwk"]?.object)
    #expect(Set(members.names) == ["crv", "kty", "x", "y"])
    #expect(members["kty"] == "EC" && members["crv"] == "P-256")
  }

  @Test func `has an identifier that no other has, of 128 bits (section 4.2: at least 96)`() throws {
    var seen: Set<String> = []
    for _ in 0..<100 {
      let identifier = try #require(try read().claims["jti"]?.string)
      #expect(try Base64URL.decode(identifier).count == 16)
      seen.insert(identifier)
    }
    #expect(seen.count == 100)
  }

  // The access token of RFC 9449 section 7.1.
  @Test func `names the token by its hash`() throws {
    let proof = try read("GET", "https://resource.example.org/r", token: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
    #expect(proof.claims["ath"] == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
  }

  @Test func `repeats the server's nonce (section 8)`() throws {
    #expect(try read(nonce: "eyJ7S_zG.eyJH0-Z.HX4w-7v").claims["nonce"] == "eyJ7S_zG.eyJH0-Z.HX4w-7v")
  }

  // RFC 9449 section 4.3, RFC 3986 sections 6.2.2 and 6.2.3.
  @Test(arguments: [
    ("https://a.example/p?q=1", "https://a.example/p"), ("https://a.example/p#f", "https://a.example/p"),
    ("https://a.example/p?q#f", "https://a.example/p"), ("HTTPS://A.Example/Path", "https://a.example/Path"),
    ("https://a.example:443/p", "https://a.example/p"), ("https://a.example:8443/p", "https://a.example:8443/p"),
    ("http://127.0.0.1:80/p", "http://127.0.0.1/p"), ("https://a.example", "https://a.example/"),
    ("https://a.example?q", "https://a.example/"), ("https://[2001:DB8::1]/%7Ea/", "https://[2001:db8::1]/%7Ea/"),
  ])
  func `names the URL without query and fragment, normalized`(url: String, target: String) throws {
    #expect(try read("GET", url).claims["htu"] == .string(target))
  }

  @Test(arguments: ["get", "GET", "PATCH", "M-SEARCH"]) func `names the method as it is sent`(method: String) throws {
    #expect(try read(method).claims["htm"] == .string(method))
  }

  // RFC 9449 section 8.1: NQCHAR.
  @Test func `takes no nonce with other characters than NQCHAR`() {
    for byte in UInt8(0)...255 {
      let isAllowed = byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)
      let text = String(UnicodeScalar(byte))
      #expect(DPoPProof.isNonce(text) == isAllowed, "\(byte)")
    }
    #expect(!DPoPProof.isNonce(""))
    #expect(DPoPProof.isNonce(String(repeating: "n", count: 1024)))
    #expect(!DPoPProof.isNonce(String(repeating: "n", count: 1025)))
  }

  // The key of RFC 9449's examples, with the `jkt` of section 6.1 (RFC 7638).
  @Test func `is by a key with the thumbprint of RFC 7638`() throws {
    let key = try JWK([
      "kty": "EC", "x": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
      "y": "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
      "crv": "P-256",
    ])
    #expect(key.thumbprint() == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    #expect(try Self.key.get().thumbprint == read().key.thumbprint())
  }

  @Test func `of RFC 9449 section 4.1 is one that this reader takes`() throws {
    let proof = try ReadProof(
      "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0R"
        + "scEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAt"
        + "MjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29t"
        + "L3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK"
        + "70nfbV37xRZT3Lg")
    #expect(proof.claims["htu"] == "https://server.example.com/token")
  }
}

@Suite struct `A key for proofs` {
  private let device = PlayedDevice()

  private func parse(_ text: String) throws -> DPoPKey { try DPoPKey.parse(secret(text), in: device) }

  @Test(arguments: DPoPKey.algorithms)
  func `is kept with its algorithm as one word of printable text`(algorithm: JWSAlgorithm) throws {
    let key = try DPoPKey.generate(for: algorithm)
    let text = try key.serialized()
    #expect(text.text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    let again = try parse(text.text)
    #expect(again.thumbprint == key.thumbprint && again.algorithm == algorithm)
    #expect(try DPoPKey.generate().thumbprint != key.thumbprint)
  }

  @Test(arguments: [
    (nil, JWSAlgorithm.ES256), (["RS256", "PS256", "ES256"], .ES256), (["RS256", "PS256"], .PS256),
    (["ES384", "EdDSA"], .EdDSA),
  ])
  func `is for the first algorithm of ours that the server announces`(announced: [String]?, algorithm: JWSAlgorithm) {
    #expect(DPoPKey.algorithm(announced: announced) == algorithm)
    #expect(DPoPKey.algorithm(announced: ["ES512", "none"]) == nil)
  }

  @Test func `is for an algorithm that the resource takes as well, and that the profile has`() {
    #expect(DPoPKey.algorithm(announced: nil, resource: ["RS256", "PS256"]) == .PS256)
    #expect(DPoPKey.algorithm(announced: ["ES256", "RS256"], resource: ["RS256"]) == .RS256)
    #expect(DPoPKey.algorithm(announced: ["ES256"], resource: ["PS256"]) == nil)
    #expect(DPoPKey.algorithm(announced: ["RS256"], resource: nil, profile: .fapi2) == nil)
    #expect(DPoPKey.algorithm(announced: ["ES256", "RS256"], resource: ["RS256"], profile: .fapi2) == nil)
  }

  @Test func `is refused when it is cut off or another kind of key`() throws {
    let text = try DPoPKey.generate().serialized().text
    let failure = OAuthError(.cryptoFailure, .dpopKey)
    for count in 0..<text.utf8.count {
      #expect(throws: failure) { try parse(String(text.prefix(count))) }
    }
    let ed25519 = try PrivateKey.generate(.ed25519).serialized().withBytes { Base64URL.encode($0) }
    let p384 = try PrivateKey.generateEC(.p384).serialized().withBytes { Base64URL.encode($0) }
    for other in [ed25519, p384, "RS256." + text, "HS256." + text, ".\(text)"] {
      #expect(throws: failure) { try parse(other) }
    }
    #expect(throws: failure) { try parse(String(repeating: "A", count: 5000)) }
    #expect(throws: failure) { try parse("no base64url!") }
  }

  @Test func `of a device stays there, and is kept as what only the device can use`() throws {
    let key = try DPoPKey.generate(in: device)
    #expect(key.isInDevice)
    let text = try key.serialized().text
    let again = try parse(text)
    #expect(again.isInDevice && again.thumbprint == key.thumbprint)
    let proof = DPoPProof(
      method: "GET", url: try URI("https://api.example/"), accessToken: nil, nonce: nil, issuedAt: 1)
    #expect(try ReadProof(proof.signed(by: again)).key.thumbprint() == key.thumbprint)
    #expect(device.signatures == 1)
    let cut = OAuthError(.cryptoFailure, .dpopKey)
    for count in [1, 2, 40, 87] { #expect(throws: cut) { try parse(String(text.prefix(count))) } }
  }

  @Test(arguments: [(CryptoError.Code.unreachable, OAuthError.Code.keyUnavailable), (.foreignKey, .keyForeign)])
  func `of a device that does not sign tells why`(problem: CryptoError.Code, code: OAuthError.Code) throws {
    let key = try DPoPKey.generate(in: device)
    device.problem = problem
    let proof = DPoPProof(
      method: "GET", url: try URI("https://api.example/"), accessToken: nil, nonce: nil, issuedAt: 1)
    #expect(throws: OAuthError(code, .dpopKey)) { try proof.signed(by: key) }
    // Only a sign-in generates another key; a TPM that is unavailable may return.
    #expect(code.effect == (code == .keyForeign ? .signInNeeded : .permanent))
  }
}

/// A device in memory.
private final class PlayedDevice: KeyDevice {
  private struct State: Sendable {
    var keys: [SharedSecret] = []
    var signatures = 0
    var problem: CryptoError.Code?
  }

  private let state = Monitor(State())

  var signatures: Int { state.withLock(\.signatures) }
  var problem: CryptoError.Code? {
    get { state.withLock(\.problem) }
    set { state.withLock { $0.problem = newValue } }
  }

  func makeKey() throws(CryptoError) -> TPM.Key {
    let key = try PrivateKey.generateEC(.p256)
    let serialized = SharedSecret(try key.serialized())
    let number = state.withLock { state in
      state.keys.append(serialized)
      return UInt8(state.keys.count - 1)
    }
    return TPM.Key(serialized: [number], publicComponents: key.publicComponents)
  }

  func sign(digest: [UInt8], with key: TPM.Key) throws(CryptoError) -> [UInt8] {
    let (problem, kept) = state.withLock { state in
      state.signatures += 1
      return (state.problem, state.keys[Int(key.serialized[0])])
    }
    if let problem { throw CryptoError(problem, "played") }
    let key = try kept.bytes.withBytes { (bytes) throws(CryptoError) in try PrivateKey(serialized: bytes) }
    return try ECDSASignature.decodeDER(try KeyContext(for: key.handle).sign(digest), curve: .p256)
  }
}
