import Crypto
import Encoding
import Testing

@Suite struct `Examples of RFC 7520` {
  @Test(arguments: [
    (CookbookSamples.rsaToken, CookbookSamples.rsaKey, JWSAlgorithm.RS256),
    (CookbookSamples.pssToken, CookbookSamples.rsaKey, .PS384),
    (CookbookSamples.curveToken, CookbookSamples.curveKey, .ES512),
  ])
  func `the tokens of RFC 7520 sections 4.1 to 4.3 verify`(
    token: String, key: JSONObject, algorithm: JWSAlgorithm
  ) throws {
    let keys = try JWKSet(parsing: Samples.set([key]))
    let verified = try parse(token).verified(by: keys, algorithms: [algorithm])
    #expect(verified.keyID == "bilbo.baggins@hobbiton.example")
    let text = String(decoding: verified.payload, as: UTF8.self)
    #expect(text.hasPrefix("It\u{2019}s a dangerous business, Frodo") && text.hasSuffix("be swept off to."))
  }

  // RFC 7520 section 4.1: the signature scheme is deterministic.
  @Test func `the signature of RFC 7520 section 4.1 is made again with the private key of section 3.4`() throws {
    let text = Array(CookbookSamples.rsaPrivateKey.utf8)
    let read = try ImportedPrivateKey.read(text.span)
    #expect(read.keyID == "bilbo.baggins@hobbiton.example")
    let payload = try parse(CookbookSamples.rsaToken).unverifiedPayload
    let token = try JWSSigner.sign(
      header: ["alg": "RS256", "kid": "bilbo.baggins@hobbiton.example"], payload: payload, key: read.key,
      algorithm: .RS256)
    #expect(token == CookbookSamples.rsaToken)
  }

  @Test func `what the private keys of RFC 7520 sections 3.2 and 3.4 sign fits the public ones`() throws {
    for (text, key, algorithm) in [
      (CookbookSamples.curvePrivateKey, CookbookSamples.curveKey, JWSAlgorithm.ES512),
      (CookbookSamples.rsaPrivateKey, CookbookSamples.rsaKey, .PS384),
    ] {
      let bytes = Array(text.utf8)
      let token = try JWSSigner.sign(
        header: [:], payload: [1], key: try ImportedPrivateKey.read(bytes.span).key, algorithm: algorithm)
      #expect(try parse(token).verified(by: JWKSet([JWK(key)]), algorithms: [algorithm]).payload == [1])
    }
  }

  // RFC 7520 section 4.5: the payload is sent separately; sections 4.6 to 4.8 have no compact form.
  @Test func `detached content and the JSON forms of RFC 7520 sections 4.5 to 4.8 are refused`() throws {
    let parts = CookbookSamples.rsaToken.split(separator: ".").map(String.init)
    let keys = JWKSet([try JWK(CookbookSamples.rsaKey)])
    #expect(throws: JOSEError(.badSignature)) {
      try parse("\(parts[0])..\(parts[2])").verified(by: keys, algorithms: [.RS256])
    }
    for text in [
      #"{"payload":"\#(parts[1])","signatures":[{"protected":"\#(parts[0])","signature":"\#(parts[2])"}]}"#,
      #"{"payload":"\#(parts[1])","protected":"\#(parts[0])","signature":"\#(parts[2])"}"#,
      #"{"payload":"\#(parts[1])","header":{"alg":"RS256"},"signature":"\#(parts[2])"}"#,
    ] { #expect(throws: JOSEError(.notCompact)) { try parse(text) } }
  }

  // RFC 7515 appendix E and section 4.1.11.
  @Test func `RFC 7515 appendix E, an extension that must be understood, is refused`() {
    #expect(throws: JOSEError(.criticalHeader)) { try parse(CookbookSamples.criticalToken) }
  }

  @Test(arguments: [CookbookSamples.rsaToken, CookbookSamples.pssToken, CookbookSamples.curveToken])
  func `an example that is cut short or has a changed bit is never verified`(token: String) throws {
    let keys = JWKSet(try [CookbookSamples.rsaKey, CookbookSamples.curveKey].map { try JWK($0) })
    let bytes = Array(token.utf8)
    for index in bytes.indices {
      let short = Array(bytes.prefix(index))
      var changed = bytes
      changed[index] ^= 1 << (index % 8)
      for text in [short, changed] {
        #expect(throws: JOSEError.self) {
          // A key of another type has the same key ID.
          try UnverifiedJWS(compact: text.span).verified(by: keys, algorithms: everyAlgorithm)
        }
      }
    }
  }
}

@Suite struct `RSA signatures that were tampered with` {
  // RFC 8017 section 8.2.2, step 4: the complete block is compared.
  @Test(arguments: PaddingVectors.all) func `a PKCS #1 block with other padding is refused`(
    fault: String, signature: String
  ) throws {
    let parts = CookbookSamples.rsaToken.split(separator: ".")
    let token = "\(parts[0]).\(parts[1])." + Samples.joined(signature)
    #expect(throws: JOSEError(.badSignature)) {
      try parse(token).verified(by: JWKSet([JWK(CookbookSamples.rsaKey)]), algorithms: [.RS256])
    }
  }

  // RFC 8725 section 3.5.
  @Test func `a key of the chips of CVE-2017-15361 is refused`() throws {
    let key = Samples.changing(CookbookSamples.rsaKey, [("n", .string(PaddingVectors.structuredModulus))])
    #expect(throws: JOSEError(.weakKey)) { try JWK(key) }
    #expect(try JWK(CookbookSamples.rsaKey).canVerify)
  }
}

@Suite struct `Key sets of RFC 7517` {
  @Test func `RFC 7517 appendix A.1 holds one key for signatures`() throws {
    let set = try JWKSet(parsing: Array(CookbookSamples.publicSet.utf8))
    #expect(set.keys.map(\.keyID) == ["1", "2011-04-29"])
    #expect(set.keys.map(\.canVerify) == [false, true])
    #expect(set.keys.map(\.algorithm) == [nil, .RS256])
    #expect(set.keys[1].thumbprint() == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    #expect(throws: JOSEError(.unknownKey)) { try set.key(for: .ES256, keyID: nil) }
    #expect(try set.key(for: .RS256, keyID: nil).keyID == "2011-04-29")
  }

  @Test func `RFC 7517 appendix A.2, private keys, and A.3, symmetric keys, are dropped`() throws {
    let secret = try JWKSet(parsing: Array(CookbookSamples.privateSet.utf8))
    #expect(secret.keys.isEmpty && secret.warnings == [.privateKey])
    let symmetric = try JWKSet(parsing: Array(CookbookSamples.symmetricSet.utf8))
    #expect(symmetric.keys.isEmpty && symmetric.warnings == [.symmetricKey, .symmetricKey])
  }

  @Test(arguments: [
    (CookbookSamples.rsaKey, CookbookSamples.rsaToken), (CookbookSamples.curveKey, CookbookSamples.curveToken),
  ])
  func `a key set with a changed bit verifies nothing by another key`(key: JSONObject, token: String) throws {
    let text = Samples.set([key])
    let original = try JWK(key).components
    let jws = try parse(token)
    _ = try jws.verified(by: JWKSet(parsing: text), algorithms: everyAlgorithm)
    for index in text.indices {
      var changed = text
      changed[index] ^= 1 << (index % 8)
      guard let set = try? JWKSet(parsing: changed), set.keys.first?.components != original else { continue }
      #expect(throws: JOSEError.self) { try jws.verified(by: set, algorithms: everyAlgorithm) }
    }
  }

  // RFC 7517 section 5: a truncated text is not a set.
  @Test func `the set of RFC 7517 appendix A.1 is refused when it is cut short`() {
    let text = Array(CookbookSamples.publicSet.utf8)
    for count in text.indices {
      #expect(throws: JOSEError(.invalidKeySet)) { try JWKSet(parsing: Array(text.prefix(count))) }
    }
  }
}
