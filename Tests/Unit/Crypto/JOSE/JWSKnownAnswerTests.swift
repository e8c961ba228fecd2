import Crypto
import Encoding
import Testing

@Suite struct `Tokens of the RFCs` {
  @Test(arguments: [
    (Samples.rsaToken, Samples.rsaKey, JWSAlgorithm.RS256),
    (Samples.p256Token, Samples.p256Key, .ES256),
    (Samples.p521Token, Samples.p521Key, .ES512),
    (Samples.edwardsToken, Samples.edwardsKey, .EdDSA),
  ])
  func `RFC 7515 appendix A and RFC 8037 appendix A verify`(
    token: String, key: JSONObject, algorithm: JWSAlgorithm
  ) throws {
    let jws = try parse(token)
    #expect(jws.algorithm == algorithm)
    let verified = try jws.verified(by: JWKSet([JWK(key)]), algorithms: [algorithm])
    #expect(verified.payload == jws.unverifiedPayload)
    #expect(verified.header == ["alg": .string(algorithm.rawValue)])
    #expect(verified.keyID == nil)
    #expect(throws: JOSEError(.algorithmNotAllowed)) {
      try jws.verified(by: JWKSet([JWK(key)]), algorithms: everyAlgorithm.subtracting([algorithm]))
    }
  }

  @Test func `the payload of RFC 7515 appendix A has its claims`() throws {
    let jws = try parse(Samples.p256Token)
    let payload = try jws.verified(by: JWKSet([JWK(Samples.p256Key)]), algorithms: [.ES256]).payload
    let claims = try JWTClaims(payload: payload)
    #expect(try claims.issuer == "joe")
    #expect(try claims.expiresAt == 1_300_819_380)
    #expect(claims.object["http://example.com/is_root"] == true)
  }

  @Test func `RFC 7515 appendix A.5, an unsecured token, is refused`() {
    let token = Samples.joined(
      """
      eyJhbGciOiJub25lIn0.
      eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.
      """)
    #expect(throws: JOSEError(.unsecured)) { try parse(token) }
  }

  @Test func `RFC 8037 appendix A.4 is reproduced by signing`() throws {
    let bytes = try Base64URL.decode(Samples.edwardsSeed)
    let seed = try SecretBytes(copying: bytes.span)
    let key = try PrivateKey(ed25519Seed: seed)
    let payload = Array("Example of Ed25519 signing".utf8)
    #expect(try JWSSigner.sign(header: [:], payload: payload, key: key, algorithm: .EdDSA) == Samples.edwardsToken)
  }

  // RFC 7638 section 3.1, RFC 8037 appendix A.3 and the key of the examples in RFC 9449 section 4.
  @Test(arguments: [
    (
      """
      {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_
      BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicA
      taSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G
      _xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}
      """, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
    ),
    (
      """
      {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
      """, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    ),
    (
      """
      {"kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
      "y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA","crv":"P-256"}
      """, "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    ),
  ])
  func `thumbprints are those of the RFCs`(key: String, thumbprint: String) throws {
    #expect(try JWK(Samples.key(key)).thumbprint() == thumbprint)
  }

  // OpenID Connect Core 1.0 appendix A.3 and A.4.
  @Test func `at_hash and c_hash are those of OpenID Connect Core`() throws {
    let token = Array("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y".utf8)
    let code = Array("Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk".utf8)
    #expect(try JWSAlgorithm.RS256.isLeftHalfHash("77QmUPtjPfzWtF2AnpK9RQ", of: token.span))
    #expect(try JWSAlgorithm.RS256.isLeftHalfHash("LDktKdoQak3Pk0cnXxCltA", of: code.span))
    #expect(try !JWSAlgorithm.RS256.isLeftHalfHash("77QmUPtjPfzWtF2AnpK9RQ", of: code.span))
  }

  @Test func `the hash of at_hash follows the algorithm`() throws {
    let token: [UInt8] = [1, 2, 3]
    let hashes = try [Digest.sha256, .sha384, .sha512].map { digest in
      let hash = try digest.hash(token.span)
      return Base64URL.encode(Array(hash.prefix(hash.count / 2)))
    }
    // One for each algorithm, in the order of its cases. Ed25519 accepts two.
    var accepted: [Int] = []
    for algorithm in JWSAlgorithm.allCases {
      accepted.append(try #require(hashes.lastIndex { try algorithm.isLeftHalfHash($0, of: token.span) }))
    }
    #expect(accepted == [0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 2])
  }
}
