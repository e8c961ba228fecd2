import Crypto
import Encoding
import TestSupport
import Testing

@testable import devissuer

/// OpenID Connect Core 1.0 sections 2, 3.1.3.6 and 12.2.
@Suite struct `ID Tokens` {
  private func verified(_ token: String?, _ issuer: TestIssuer) throws -> VerifiedJWS {
    let keys = try JWKSet(parsing: try issuer.get("/jwks").body)
    let bytes = Array(try #require(token).utf8)
    return try UnverifiedJWS(compact: bytes.span).verified(by: keys, algorithms: Set(JWSAlgorithm.allCases))
  }

  private func claims(_ token: String?, _ issuer: TestIssuer) throws -> JSON {
    try JSON(parsing: try verified(token, issuer).payload)
  }

  private func hash(_ token: String) throws -> String {
    let digest = try Digest.sha256.hash(Array(token.utf8).span)
    return Base64URL.encode(Array(digest.prefix(16)))
  }

  @Test(arguments: [JWSAlgorithm.RS256, .PS256, .ES256, .ES384, .EdDSA])
  func `every algorithm gives tokens that the published key verifies`(algorithm: JWSAlgorithm) throws {
    let issuer = try TestIssuer("--algorithm=\(algorithm.rawValue)")
    let token = try verified(try issuer.signIn().id, issuer)
    #expect(token.algorithm == algorithm)
    #expect(token.keyID != nil)
    let metadata = try issuer.get("/.well-known/openid-configuration").json
    #expect(metadata?["id_token_signing_alg_values_supported"] == [.string(algorithm.rawValue)])
  }

  @Test func `a token says what section 2 requires`() throws {
    let issuer = try TestIssuer("--claim=school_id=\"0042\"", "--claim=email=other@example.org")
    let tokens = try issuer.signIn()
    let now = TestIssuer.startSeconds
    #expect(
      try claims(tokens.id, issuer) == [
        "iss": .string(issuer.issuer), "sub": "user-alice", "aud": "agent-cli", "exp": .int(now + 3600),
        "iat": .int(now), "auth_time": .int(now), "at_hash": .string(try hash(tokens.access)),
        "name": "Alice Example", "preferred_username": "alice", "email": "other@example.org",
        "email_verified": true, "school_id": "0042",
      ])
  }

  @Test func `a refreshed token keeps the sign-in (section 12.2)`() throws {
    let issuer = try TestIssuer()
    let first = try issuer.signIn()
    issuer.clock.advance(seconds: 100)
    let second = try issuer.tokens(of: try issuer.refresh(try #require(first.refresh)))
    let (old, new) = (try claims(first.id, issuer), try claims(second.id, issuer))
    for name in ["iss", "sub", "aud", "auth_time"] { #expect(old[name] == new[name]) }
    #expect(new["iat"]?.int == TestIssuer.startSeconds + 100)
    #expect(new["at_hash"]?.string == (try hash(second.access)))
  }

  @Test func `there is none without the openid scope or when the option says so`() throws {
    #expect(try TestIssuer().signIn(scope: "read").id == nil)
    #expect(try TestIssuer("--no-id-token").signIn().id == nil)
  }

  @Test func `after a change of the key new tokens are verified by the new set only`() throws {
    let issuer = try TestIssuer()
    let old = try issuer.signIn().id
    try issuer.control("rotate_key=1")
    _ = try verified(try issuer.signIn().id, issuer)
    #expect(throws: JOSEError(.unknownKey)) { try verified(old, issuer) }
  }
}
