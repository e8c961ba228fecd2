import Crypto
import Encoding
import Testing

@Suite struct `Choice of the key` {
  static func keys(_ list: [(JSONObject, [(String, JSON?)])]) throws -> JWKSet {
    JWKSet(try list.map { try JWK(Samples.changing($0.0, $0.1)) })
  }

  // OpenID Connect Core 1.0 section 10.1.
  @Test func `a kid chooses the key of that name`() throws {
    let keys = try Self.keys([(Samples.p256Key, [("kid", "a")]), (Samples.rsaKey, [("kid", "b")])])
    #expect(try keys.key(for: .ES256, keyID: "a").components == keys.keys[0].components)
    #expect(try keys.key(for: .PS512, keyID: "b").components == keys.keys[1].components)
  }

  @Test(arguments: ["c", "A", "", "a "]) func `a kid that no key has is unknown`(keyID: String) throws {
    let keys = try Self.keys([(Samples.p256Key, [("kid", "a")]), (Samples.p256Key, [])])
    #expect(throws: JOSEError(.unknownKey)) { try keys.key(for: .ES256, keyID: keyID) }
  }

  // RFC 7515 section 5.3: compared as code points, without normalization.
  @Test func `a kid in another normal form is unknown`() throws {
    let keys = try Self.keys([(Samples.p256Key, [("kid", "\u{e9}")])])
    #expect(try keys.key(for: .ES256, keyID: "\u{e9}").keyID == "\u{e9}")
    #expect(throws: JOSEError(.unknownKey)) { try keys.key(for: .ES256, keyID: "e\u{301}") }
  }

  @Test func `a key of that name with another type, curve, algorithm or use is unsuitable`() throws {
    for (key, changes, algorithm) in [
      (Samples.rsaKey, [], JWSAlgorithm.ES256), (Samples.p521Key, [], .ES256), (Samples.p256Key, [], .ES512),
      (Samples.p256Key, [], .EdDSA), (Samples.edwardsKey, [], .RS256),
      (Samples.rsaKey, [("alg", "RS256")], .PS256), (Samples.rsaKey, [("alg", "RS512")], .RS256),
      (Samples.edwardsKey, [("alg", "EdDSA")], .Ed25519),
      (Samples.p256Key, [("use", "enc")], .ES256), (Samples.p256Key, [("key_ops", ["sign"])], .ES256),
      (Samples.p256Key, [("key_ops", [])], .ES256),
    ] as [(JSONObject, [(String, JSON?)], JWSAlgorithm)] {
      let keys = try Self.keys([(key, changes + [("kid", "k")])])
      #expect(throws: JOSEError(.unsuitableKey)) { try keys.key(for: algorithm, keyID: "k") }
    }
  }

  @Test func `a key whose algorithm and use fit is suitable`() throws {
    for (key, changes, algorithm) in [
      (Samples.p256Key, [("alg", "ES256"), ("use", "sig")], JWSAlgorithm.ES256),
      (Samples.rsaKey, [("key_ops", ["verify"])], .PS256),
      (Samples.rsaKey, [("key_ops", ["sign", "verify"]), ("use", "sig")], .RS384),
      (Samples.edwardsKey, [("alg", "Ed25519")], .Ed25519),
    ] as [(JSONObject, [(String, JSON?)], JWSAlgorithm)] {
      let keys = try Self.keys([(key, changes)])
      #expect(try keys.key(for: algorithm, keyID: nil).components == keys.keys[0].components)
    }
  }

  @Test func `two fitting keys of one name are ambiguous, unless they are the same`() throws {
    let other = try JWK(try PrivateKey.generateEC(.p256).publicComponents, keyID: "k")
    let same = try JWK(Samples.changing(Samples.p256Key, [("kid", "k")]))
    #expect(throws: JOSEError(.ambiguousKey)) { try JWKSet([same, other]).key(for: .ES256, keyID: "k") }
    #expect(try JWKSet([same, same]).key(for: .ES256, keyID: "k").components == same.components)
    #expect(throws: JOSEError(.ambiguousKey)) { try JWKSet([same, same, other]).key(for: .ES256, keyID: "k") }
  }

  @Test func `two keys of one name and different types are told apart by the algorithm`() throws {
    let keys = try Self.keys([(Samples.p256Key, [("kid", "k")]), (Samples.rsaKey, [("kid", "k")])])
    #expect(try keys.key(for: .ES256, keyID: "k").components == keys.keys[0].components)
    #expect(try keys.key(for: .RS256, keyID: "k").components == keys.keys[1].components)
  }

  @Test func `without a kid exactly one key must fit`() throws {
    let keys = try Self.keys([(Samples.p256Key, [("kid", "a")]), (Samples.rsaKey, []), (Samples.edwardsKey, [])])
    #expect(try keys.key(for: .ES256, keyID: nil).components == keys.keys[0].components)
    #expect(throws: JOSEError(.unknownKey)) { try keys.key(for: .ES384, keyID: nil) }
    let two = JWKSet(keys.keys + [try JWK(try PrivateKey.generateEC(.p256).publicComponents)])
    #expect(throws: JOSEError(.ambiguousKey)) { try two.key(for: .ES256, keyID: nil) }
  }

  @Test func `a token without a kid is not tried with several keys`() throws {
    let other = try JWK(try PrivateKey.generateEC(.p256).publicComponents)
    let keys = JWKSet([try JWK(Samples.p256Key), other])
    #expect(throws: JOSEError(.ambiguousKey)) {
      try parse(Samples.p256Token).verified(by: keys, algorithms: [.ES256])
    }
  }
}
