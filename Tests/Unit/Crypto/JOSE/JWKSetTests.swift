import Crypto
import Encoding
import Testing

@Suite struct `JSON Web Key Sets` {
  // RFC 7517 section 5: unsupported keys are skipped, the others stay.
  @Test func `unusable keys are skipped and counted`() throws {
    let set = try JWKSet(
      parsing: Samples.set([
        Samples.rsaKey,
        ["kty": "LMS", "pub": "AA"],
        Samples.changing(Samples.p256Key, [("crv", "P-255")]),
        Samples.changing(Samples.rsaKey, [("alg", "RSA-OAEP"), ("use", "enc")]),
        Samples.changing(Samples.p256Key, [("y", nil)]),
        [:],
        Samples.edwardsKey,
      ]))
    #expect(set.keys.map(\.components) == [try JWK(Samples.rsaKey), try JWK(Samples.edwardsKey)].map(\.components))
    #expect(set.skippedCount == 5)
    // A key for encryption is not an irregularity.
    #expect(set.unusableCount == 4)
    #expect(set.warnings == [])
  }

  @Test func `what is not an object among the keys is skipped`() throws {
    let text = JSON.object(["keys": [1, "x", .null, [], .object(Samples.p256Key)]]).serialized()
    let set = try JWKSet(parsing: text)
    #expect(set.keys.count == 1 && set.skippedCount == 4)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[],"keys":[]}"#, #"{"keys":[]} x"#,
    #"{"keys":[{"a":1,"a":1}]}"#,
  ])
  func `a text that is no key set is refused`(text: String) {
    #expect(throws: JOSEError(.invalidKeySet)) { try JWKSet(parsing: Array(text.utf8)) }
  }

  // RFC 7517 section 9.2.
  @Test func `a published private key is dropped with a warning`() throws {
    let set = try JWKSet(
      parsing: Samples.set([Samples.changing(Samples.p256Key, [("d", "AA")]), Samples.rsaKey]))
    #expect(set.keys.map(\.components) == [try JWK(Samples.rsaKey).components])
    #expect(set.skippedCount == 1)
    #expect(set.warnings == [.privateKey])
  }

  @Test func `published shared secrets are dropped with a warning`() throws {
    let set = try JWKSet(parsing: Samples.set([["kty": "oct", "k": "AAAA"], ["kty": "oct", "k": "BBBB"]]))
    #expect(set.keys.isEmpty)
    #expect(set.warnings == [.symmetricKey, .symmetricKey])
  }

  @Test func `a set of shared secrets and public keys is refused whole`() {
    #expect(throws: JOSEError(.mixedKeySet)) {
      try JWKSet(parsing: Samples.set([Samples.rsaKey, ["kty": "oct", "k": "AAAA"]]))
    }
    #expect(throws: JOSEError(.mixedKeySet)) {
      try JWKSet(parsing: Samples.set([["kty": "RSA", "k": "AAAA"], Samples.p256Key]))
    }
  }

  @Test func `in a file of the user's own shared secrets are left out`() throws {
    let text = Samples.set([Samples.rsaKey, ["kty": "oct", "k": "AAAA"]])
    let set = try JWKSet(parsing: text, isPublished: false)
    #expect(set.keys.count == 1 && set.skippedCount == 1 && set.warnings == [.symmetricKey])
  }

  // An unusable key is still published.
  @Test func `a key that was left out is named by why when a token names it`() throws {
    let set = try JWKSet(
      parsing: Samples.set([
        Samples.changing(Samples.p256Key, [("kid", "malformed"), ("y", nil)]),
        Samples.changing(Samples.rsaKey, [("kid", "weak"), ("e", "AQ")]),
        ["kty": "LMS", "kid": "foreign"], Samples.changing(Samples.p256Key, [("kid", "secret"), ("d", "AA")]),
        Samples.changing(Samples.p256Key, [("kid", "good")]),
      ]))
    for (name, code) in [
      ("malformed", JOSEError.Code.malformedSetKey), ("weak", .weakSetKey), ("foreign", .unsupportedSetKey),
      ("secret", .secretSetKey), ("absent", .unknownKey),
    ] {
      #expect(throws: JOSEError(code)) { try set.key(for: .ES256, keyID: name) }
      #expect(JOSEError(code).needsNewKeys)
    }
    #expect(try set.key(for: .ES256, keyID: "good").keyID == "good")
  }

  @Test func `512 keys are read, 513 are not`() throws {
    let key: JSONObject = ["kty": "LMS"]
    #expect(try JWKSet(parsing: Samples.set(Array(repeating: key, count: 512))).skippedCount == 512)
    #expect(throws: JOSEError(.tooManyKeys)) { try JWKSet(parsing: Samples.set(Array(repeating: key, count: 513))) }
  }

  @Test func `a set of more than 1 MiB is refused`() throws {
    let text = Array(#"{"keys":[]}"#.utf8)
    let padding = [UInt8](repeating: 0x20, count: JWKSet.maximumByteCount - text.count)
    #expect(try JWKSet(parsing: text + padding).keys.isEmpty)
    #expect(throws: JOSEError(.tooLong)) { try JWKSet(parsing: text + padding + [0x20]) }
  }

  @Test func `a set that is cut short is refused at every byte`() throws {
    let text = Samples.set([Samples.p256Key, Samples.edwardsKey])
    #expect(try JWKSet(parsing: text).keys.count == 2)
    for count in text.indices {
      #expect(throws: JOSEError(.invalidKeySet)) { try JWKSet(parsing: Array(text.prefix(count))) }
    }
  }

  @Test func `a published set is read back`() throws {
    let set = JWKSet([
      try JWK(PrivateKey.generateEC(.p256).publicComponents, keyID: "1", algorithm: .ES256),
      try JWK(PrivateKey.generate(.ed25519).publicComponents, keyID: "2"),
    ])
    let read = try JWKSet(parsing: set.serialized())
    #expect(read.keys.map(\.components) == set.keys.map(\.components))
    #expect(read.keys.map(\.keyID) == ["1", "2"])
    #expect(read.keys.map(\.algorithm) == [.ES256, nil])
  }
}
