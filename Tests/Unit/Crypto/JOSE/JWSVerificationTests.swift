import Crypto
import Encoding
import Testing

@Suite struct `Verification of a token` {
  static let payload = Array(#"{"iss":"https://as.example","sub":"alice"}"#.utf8)

  @Test(arguments: JWSAlgorithm.allCases) func `what is signed verifies, and nothing else`(
    algorithm: JWSAlgorithm
  ) throws {
    let key = try makeKey(for: algorithm)
    let keys = JWKSet([try JWK(key.publicComponents, keyID: "k", algorithm: algorithm)])
    let token = try JWSSigner.sign(
      header: ["typ": "JWT", "kid": "k"], payload: Self.payload, key: key, algorithm: algorithm)
    let verified = try parse(token).verified(by: keys, algorithms: [algorithm])
    #expect(verified.payload == Self.payload)
    #expect(verified.header == ["typ": "JWT", "kid": "k", "alg": .string(algorithm.rawValue)])
    #expect(verified.algorithm == algorithm && verified.keyID == "k")

    let parts = token.split(separator: ".").map { (try? Base64URL.decode(String($0))) ?? [] }
    for index in parts[2].indices {
      var signature = parts[2]
      signature[index] ^= 0x10
      let changed = Self.join([parts[0], parts[1], signature])
      #expect(throws: JOSEError(.badSignature)) { try parse(changed).verified(by: keys, algorithms: [algorithm]) }
    }
    for index in parts[1].indices {
      var payload = parts[1]
      payload[index] ^= 0x10
      let changed = Self.join([parts[0], payload, parts[2]])
      #expect(throws: JOSEError(.badSignature)) { try parse(changed).verified(by: keys, algorithms: [algorithm]) }
    }
  }

  static func join(_ parts: [[UInt8]]) -> String {
    parts.map { Base64URL.encode($0) }.joined(separator: ".")
  }

  @Test func `another key of the same kind does not verify`() throws {
    let token = try JWSSigner.sign(
      header: ["kid": "k"], payload: Self.payload, key: try PrivateKey.generateEC(.p256), algorithm: .ES256)
    let other = try JWK(try PrivateKey.generateEC(.p256).publicComponents, keyID: "k")
    #expect(throws: JOSEError(.badSignature)) {
      try parse(token).verified(by: JWKSet([other]), algorithms: [.ES256])
    }
  }

  @Test func `a key in the header is never used`() throws {
    let attacker = try PrivateKey.generateEC(.p256)
    let key = try JWK(attacker.publicComponents)
    let header: JSONObject = ["jwk": .object(key.requiredMembers), "kid": "k"]
    let token = try JWSSigner.sign(header: header, payload: Self.payload, key: attacker, algorithm: .ES256)
    let trusted = try JWK(try PrivateKey.generateEC(.p256).publicComponents, keyID: "k")
    #expect(throws: JOSEError(.badSignature)) {
      try parse(token).verified(by: JWKSet([trusted]), algorithms: [.ES256])
    }
    #expect(throws: JOSEError(.unknownKey)) {
      try parse(token).verified(by: JWKSet([]), algorithms: [.ES256])
    }
  }

  // RFC 8725 section 3.1: the header only chooses among the caller's algorithms.
  @Test func `an algorithm that the caller does not accept is refused before any key is looked up`() throws {
    #expect(throws: JOSEError(.algorithmNotAllowed)) {
      try parse(Samples.p256Token).verified(by: JWKSet([]), algorithms: [.RS256])
    }
    #expect(throws: JOSEError(.algorithmNotAllowed)) {
      try parse(Samples.p256Token).verified(by: JWKSet([]), algorithms: [])
    }
  }

  // RFC 8725 section 3.11.
  @Test func `a token of another type is refused`() throws {
    let key = try PrivateKey.generateEC(.p256)
    let keys = JWKSet([try JWK(key.publicComponents)])
    let token = try JWSSigner.sign(header: ["typ": "at+jwt"], payload: Self.payload, key: key, algorithm: .ES256)
    #expect(throws: JOSEError(.wrongType)) { try parse(token).verified(by: keys, algorithms: [.ES256]) }
    let jws = try parse(token)
    #expect(
      try jws.verified(by: keys, algorithms: [.ES256], allowedTypes: .required(["at+jwt"])).payload == Self.payload)
    let untyped = try JWSSigner.sign(header: [:], payload: Self.payload, key: key, algorithm: .ES256)
    #expect(throws: JOSEError(.wrongType)) {
      try parse(untyped).verified(by: keys, algorithms: [.ES256], allowedTypes: .required(["at+jwt"]))
    }
  }

  @Test func `signing with a key that does not fit is an error`() throws {
    let key = try PrivateKey.generateEC(.p256)
    for algorithm in [JWSAlgorithm.ES384, .RS256, .EdDSA] {
      #expect(throws: CryptoError(.unsupportedAlgorithm, "sign")) {
        try JWSSigner.sign(header: [:], payload: [], key: key, algorithm: algorithm)
      }
    }
  }

  @Test func `the signer's algorithm replaces the one in the header`() throws {
    let key = try PrivateKey.generate(.ed25519)
    let token = try JWSSigner.sign(header: ["alg": "none", "kid": "k"], payload: [], key: key, algorithm: .Ed25519)
    #expect(try parse(token).header == ["alg": "Ed25519", "kid": "k"])
  }
}
