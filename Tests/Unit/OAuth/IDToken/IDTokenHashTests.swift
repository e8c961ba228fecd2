import Crypto
import Encoding
import OAuth
import Testing

@Suite struct `ID Token hashes` {
  // OpenID Connect Core 1.0 appendix A.3.
  private let token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"
  private let hash = "77QmUPtjPfzWtF2AnpK9RQ"

  @Test(arguments: [JWSAlgorithm.RS256, .ES256]) func `the example of the specification fits`(algorithm: JWSAlgorithm)
    throws
  {
    let key = try SigningKey.shared.get(algorithm)
    #expect(try verify(with("at_hash", .string(hash)), by: key) { $0.accessToken = try secret(token) }.issuedAt == now)
  }

  // Section 3.1.3.6: the hash is that of the algorithm.
  @Test func `a longer algorithm has a longer hash`() throws {
    let key = try SigningKey.shared.get(.ES384)
    let full = try Digest.sha384.hash(Array(token.utf8).span)
    let half = Base64URL.encode(Array(full.prefix(full.count / 2)))
    #expect(try verify(with("at_hash", .string(half)), by: key) { $0.accessToken = try secret(token) }.issuedAt == now)
    #expect(throws: IDTokenError(.wrongHash(claim: "at_hash"))) {
      try verify(with("at_hash", .string(hash)), by: key) { $0.accessToken = try secret(token) }
    }
  }

  // No hash is specified for Ed25519: servers use its internal one, or that of RS256.
  @Test(arguments: [Digest.sha256, .sha512])
  func `an Ed25519 token may have the hash of either length`(digest: Digest) throws {
    let key = try SigningKey.shared.get(.EdDSA)
    let full = try digest.hash(Array(token.utf8).span)
    let half = Base64URL.encode(Array(full.prefix(full.count / 2)))
    #expect(try verify(with("at_hash", .string(half)), by: key) { $0.accessToken = try secret(token) }.issuedAt == now)
    #expect(throws: IDTokenError(.wrongHash(claim: "at_hash"))) {
      try verify(with("at_hash", .string(half)), by: key) { $0.accessToken = try secret(token + "x") }
    }
  }

  @Test(arguments: ["", "77QmUPtjPfzWtF2AnpK9RR", "77QmUPtjPfzWtF2AnpK9RQ=", "77qmUPtjPfzWtF2AnpK9RQ"])
  func `another hash is refused`(wrong: String) {
    #expect(throws: IDTokenError(.wrongHash(claim: "at_hash"))) {
      try verify(with("at_hash", .string(wrong))) { $0.accessToken = try secret(token) }
    }
  }

  // OpenID Connect Core 1.0 section 3.3.2.11, appendix A.4.
  @Test func `the hash of the code must fit the code`() throws {
    let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
    let claims = with("c_hash", "LDktKdoQak3Pk0cnXxCltA")
    #expect(try verify(claims) { $0.requirements.code = try secret(code) }.issuedAt == now)
    #expect(try verify(claims).issuedAt == now, "no code was exchanged")
    #expect(throws: IDTokenError(.wrongHash(claim: "c_hash"))) {
      try verify(claims) { $0.requirements.code = try secret(code + "x") }
    }
  }

  @Test func `the hash is optional and a string`() throws {
    #expect(try verify(goodClaims) { $0.accessToken = try secret(token) }.issuedAt == now)
    #expect(try verify(with("at_hash", .string(hash))).issuedAt == now)
    #expect(throws: IDTokenError(.malformedClaim("at_hash"))) { try verify(with("at_hash", 1)) }
  }
}
