import Crypto
import Encoding
import Testing

@Suite struct `JSON Web Keys` {
  @Test(
    arguments: [
      // RFC 7517 section 4.1: the type must be known.
      (Samples.p256Key, [("kty", JSON?.none)], JOSEError.Code.invalidKey),
      (Samples.p256Key, [("kty", "ec")], .unsupportedKey),
      (Samples.p256Key, [("kty", 1)], .invalidKey),
      (Samples.p256Key, [("crv", "P-255")], .unsupportedKey),
      (Samples.p256Key, [("crv", "secp256k1")], .unsupportedKey),
      (Samples.p256Key, [("crv", nil)], .invalidKey),
      (Samples.edwardsKey, [("crv", "Ed448")], .unsupportedKey),
      (Samples.edwardsKey, [("crv", "X25519")], .unsupportedKey),
      (Samples.rsaKey, [("alg", "RSA-OAEP")], .unsupportedKey),
      (Samples.rsaKey, [("alg", "HS256")], .unsupportedKey),
      (Samples.rsaKey, [("alg", "rs256")], .unsupportedKey),
      (Samples.rsaKey, [("alg", 256)], .invalidKey),
      // Members missing, of the wrong type, not base64url.
      (Samples.p256Key, [("y", nil)], .invalidKey),
      (Samples.p256Key, [("x", 7)], .invalidKey),
      (Samples.p256Key, [("x", "")], .invalidKey),
      (Samples.p256Key, [("x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU==")], .invalidKey),
      (Samples.p256Key, [("x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVE=U")], .invalidKey),
      (Samples.p256Key, [("x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU ")], .invalidKey),
      (Samples.rsaKey, [("n", nil)], .invalidKey),
      (Samples.rsaKey, [("e", "")], .invalidKey),
      (Samples.edwardsKey, [("x", nil)], .invalidKey),
      (Samples.p256Key, [("kid", 7)], .invalidKey),
      (Samples.p256Key, [("kid", "a\0")], .invalidKey),
      (Samples.p256Key, [("use", 1)], .invalidKey),
      // RFC 7518 section 6.2.1.2: 32 bytes. RFC 8725 section 3.4: on the curve.
      (Samples.p256Key, [("x", "AAAA")], .invalidKey),
      (Samples.p256Key, [("crv", "P-384")], .invalidKey),
      (Samples.p256Key, [("y", Samples.p256Key["x"])], .invalidKey),
      (Samples.edwardsKey, [("x", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")], .invalidKey),
      // RFC 7518 section 3.3.
      (Samples.rsaKey, [("n", .string(Base64URL.encode([UInt8](repeating: 0xff, count: 128))))], .weakKey),
      (Samples.rsaKey, [("n", .string(Base64URL.encode([UInt8](repeating: 0xff, count: 1025))))], .weakKey),
      (Samples.rsaKey, [("n", .string(Base64URL.encode([0] + [UInt8](repeating: 0xff, count: 128))))], .weakKey),
      (Samples.rsaKey, [("n", "AAAA")], .weakKey),
      (Samples.rsaKey, [("e", "AQ")], .weakKey),
      (Samples.rsaKey, [("e", "AQAA")], .weakKey),
      (Samples.rsaKey, [("e", "AQAAAAE")], .weakKey),
      // RFC 7517 section 4.3: no duplicate operations, no contradiction with "use".
      (Samples.p256Key, [("key_ops", ["verify", "verify"])], .invalidKey),
      (Samples.p256Key, [("key_ops", 1)], .invalidKey),
      (Samples.p256Key, [("key_ops", "encrypt"), ("use", "sig")], .invalidKey),
      (Samples.p256Key, [("key_ops", [1])], .invalidKey),
      (Samples.p256Key, [("key_ops", ["encrypt"]), ("use", "sig")], .invalidKey),
      (Samples.p256Key, [("key_ops", ["verify"]), ("use", "enc")], .invalidKey),
      // RFC 7517 section 9.2: no secrets.
      (Samples.p256Key, [("d", "AA")], .embeddedPrivateKey),
      (Samples.rsaKey, [("qi", "AA")], .embeddedPrivateKey),
      (Samples.rsaKey, [("oth", [])], .embeddedPrivateKey),
      (Samples.edwardsKey, [("d", nil), ("k", "AA")], .embeddedPrivateKey),
      (["kty": "oct", "k": "AA"], [], .embeddedPrivateKey),
    ] as [(JSONObject, [(String, JSON?)], JOSEError.Code)])
  func `an unusable key is refused`(key: JSONObject, changes: [(String, JSON?)], code: JOSEError.Code) {
    #expect(throws: JOSEError(code)) { try JWK(Samples.changing(key, changes)) }
  }

  // Some servers publish numbers like this; their values are the same.
  @Test func `a number with a zero byte before it, padding or the other alphabet is read`() throws {
    for key in [Samples.rsaKey, Samples.p256Key, Samples.edwardsKey] {
      let plain = try JWK(key)
      for name in ["n", "e", "x", "y"] {
        guard let text = key[name]?.string else { continue }
        let bytes = try Base64URL.decode(text)
        var forms = [Base64.encode(bytes), text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)]
        if key["kty"]?.string != "OKP" { forms.append(Base64URL.encode([0] + bytes)) }
        for form in forms {
          let read = try JWK(Samples.changing(key, [(name, .string(form))]))
          #expect(read.components == plain.components && read.thumbprint() == plain.thumbprint(), "\(name)")
        }
      }
    }
    #expect(throws: JOSEError(.invalidKey)) {
      try JWK(
        Samples.changing(Samples.edwardsKey, [("x", .string(Base64URL.encode([0] + [UInt8](repeating: 1, count: 32))))])
      )
    }
  }

  @Test func `a text in the place of the operations is one operation`() throws {
    #expect(try JWK(Samples.changing(Samples.p256Key, [("key_ops", "verify")])).canVerify)
    #expect(try !JWK(Samples.changing(Samples.p256Key, [("key_ops", "encrypt"), ("use", nil)])).canVerify)
  }

  @Test func `a member that is null is absent`() throws {
    let nothing: [(String, JSON?)] = ["use", "alg", "key_ops", "kid", "d", "k", "oth"].map { ($0, .null) }
    for key in [Samples.p256Key, Samples.rsaKey, Samples.edwardsKey] {
      let read = try JWK(Samples.changing(key, nothing))
      #expect(read.canVerify && read.algorithm == nil && read.keyID == nil)
    }
    #expect(throws: JOSEError(.invalidKey)) { try JWK(Samples.changing(Samples.p256Key, [("x", .null)])) }
  }

  @Test func `a key is published with its public members only`() throws {
    let key = try JWK(PrivateKey.generateEC(.p384).publicComponents, keyID: "k", algorithm: .ES384)
    #expect(key.requiredMembers.names == ["crv", "kty", "x", "y"])
    #expect(key.published.names == ["crv", "kty", "x", "y", "use", "kid", "alg"])
    let read = try JWK(key.published)
    #expect(read.components == key.components)
    #expect(read.keyID == "k" && read.algorithm == .ES384 && read.canVerify)
    #expect(read.thumbprint() == key.thumbprint())
  }

  @Test(arguments: JWSAlgorithm.allCases) func `every kind of key is read as it was published`(
    algorithm: JWSAlgorithm
  ) throws {
    let components = try makeKey(for: algorithm).publicComponents
    #expect(try JWK(try JWK(components).published).components == components)
  }

  // RFC 7518 section 6.2.1.2: one coordinate in 256 begins with a zero byte.
  @Test func `a coordinate that begins with zero keeps its width`() throws {
    var found = false
    while !found {
      let components = try PrivateKey.generateEC(.p256).publicComponents
      guard case .ec(_, let x, let y) = components else {
        Issue.record("no point")
        return
      }
      found = x.first == 0 || y.first == 0
      if found {
        let published = try JWK(components).published
        #expect(published["x"] == .string(Base64URL.encode(x)) && published["y"] == .string(Base64URL.encode(y)))
        #expect(try JWK(published).components == components)
      }
    }
  }

  // Some servers strip leading zeros, as Glewlwyd's library does for one key in a hundred.
  @Test func `a number of an EC key without the zeros that it begins with is read as if they were there`() throws {
    func shortened(_ bytes: [UInt8]) -> String { Base64URL.encode(Array(bytes.drop { $0 == 0 })) }
    var missing: Set<String> = []
    while missing != ["x", "y"] {
      let key = try PrivateKey.generateEC(.p256)
      guard case .ec(_, let x, let y) = key.publicComponents, x.first == 0 || y.first == 0 else { continue }
      missing.formUnion((x.first == 0 ? ["x"] : []) + (y.first == 0 ? ["y"] : []))
      let written = Samples.changing(
        try JWK(key.publicComponents).published, [("x", .string(shortened(x))), ("y", .string(shortened(y)))])
      let read = try JWK(written)
      #expect(read.components == key.publicComponents)
      #expect(try read.thumbprint() == JWK(key.publicComponents).thumbprint())
    }
    // A longer number is not a coordinate, and a short one padded with zeros is not a point of the curve.
    for number: [UInt8] in [[0] + Array(repeating: 1, count: 32), [1]] {
      #expect(throws: JOSEError(.invalidKey)) {
        _ = try JWK(Samples.changing(Samples.p256Key, [("x", .string(Base64URL.encode(number)))])).components
      }
    }
  }

  @Test func `the thumbprint does not depend on other members`() throws {
    let plain = try JWK(Samples.p256Key)
    let named = try JWK(Samples.changing(Samples.p256Key, [("kid", "x"), ("use", "enc"), ("other", [1, 2])]))
    #expect(plain.thumbprint() == named.thumbprint())
    #expect(plain.thumbprint() != (try JWK(Samples.p521Key).thumbprint()))
  }
}
