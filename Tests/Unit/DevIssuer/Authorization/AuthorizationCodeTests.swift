import Encoding
import Crypto
import TestSupport
import Testing

@testable import devissuer

/// RFC 6749 sections 4.1.2 and 4.1.3, RFC 7636 section 4.6.
@Suite struct `Authorization codes` {
  private func claims(_ reply: Reply, _ issuer: TestIssuer) throws -> JSON {
    let keys = try JWKSet(parsing: try issuer.get("/jwks").body)
    let bytes = Array(try #require(reply.json?["id_token"]?.string).utf8)
    let token = try UnverifiedJWS(compact: bytes.span).verified(by: keys, algorithms: [.ES256])
    return try JSON(parsing: token.payload)
  }

  @Test func `a code gives tokens, and the ID Token has the nonce`() throws {
    let issuer = try TestIssuer.approving()
    let reply = try issuer.redeem(try issuer.code())
    let tokens = try issuer.tokens(of: reply)
    #expect(tokens.json["scope"]?.string == "openid" && tokens.json["expires_in"]?.int == 3600)
    #expect(try claims(reply, issuer)["nonce"]?.string == "n-0S6")
    #expect(try claims(reply, issuer)["auth_time"]?.int == TestIssuer.startSeconds)
    #expect(try issuer.get("/resource", bearer: tokens.access).json?["subject"]?.string == "user-alice")
    // OpenID Connect Core 1.0 section 12.2: no nonce later.
    let renewed = try issuer.refresh(try #require(tokens.refresh))
    #expect(renewed.status == 200)
    #expect(try claims(renewed, issuer)["nonce"] == nil)
    #expect(try issuer.counter("code_grants") == 1)
  }

  @Test func `a code that comes twice ends the tokens of its first use`() throws {
    let issuer = try TestIssuer.approving()
    let code = try issuer.code()
    let tokens = try issuer.tokens(of: try issuer.redeem(code))
    #expect(try issuer.get("/resource", bearer: tokens.access).status == 200)
    #expect(try issuer.redeem(code).failure == "400 invalid_grant")
    #expect(try issuer.get("/resource", bearer: tokens.access).status == 401)
    #expect(try issuer.refresh(try #require(tokens.refresh)).failure == "400 invalid_grant")
    #expect(try issuer.counter("code_replays") == 1)
  }

  @Test func `a code lives for a minute`() throws {
    let issuer = try TestIssuer.approving()
    let (first, second) = (try issuer.code(), try issuer.code())
    issuer.clock.advance(seconds: 59)
    #expect(try issuer.redeem(first).status == 200)
    issuer.clock.advance(seconds: 1)
    #expect(try issuer.redeem(second).failure == "400 invalid_grant")
  }

  @Test(
    arguments: [
      ("code", "x", "400 invalid_grant"), ("code", nil, "400 invalid_request"),
      ("redirect_uri", nil, "400 invalid_grant"),
      ("redirect_uri", "http://127.0.0.1:51005/callback/x", "400 invalid_grant"),
      ("code_verifier", nil, "400 invalid_grant"), ("code_verifier", TestIssuer.challenge, "400 invalid_grant"),
      ("code_verifier", "short", "400 invalid_grant"),
      ("code_verifier", TestIssuer.verifier + "+", "400 invalid_grant"),
    ] as [(String, String?, String)])
  func `all that the code is bound to is checked`(name: String, value: String?, failure: String) throws {
    let issuer = try TestIssuer.approving()
    #expect(try issuer.redeem(try issuer.code(), [name: value]).failure == failure)
    #expect(try issuer.counter("code_grants") == 0)
  }

  @Test func `a wrong verifier uses the code up`() throws {
    let issuer = try TestIssuer.approving()
    let code = try issuer.code()
    #expect(try issuer.redeem(code, ["code_verifier": TestIssuer.challenge]).failure == "400 invalid_grant")
    #expect(try issuer.redeem(code).failure == "400 invalid_grant")
  }

  @Test func `another client cannot use the code, and does not use it up`() throws {
    let issuer = try TestIssuer.approving()
    let code = try issuer.code()
    let other: [String: String?] = ["client_id": "agent-confidential", "client_secret": TestIssuer.secret]
    #expect(try issuer.redeem(code, other).failure == "400 invalid_grant")
    #expect(try issuer.redeem(code).status == 200)
  }

  @Test func `a confidential client may do without PKCE, but not in half (RFC 9700 section 4.8.2)`() throws {
    let issuer = try TestIssuer.approving()
    let client: [String: String?] = ["client_id": "agent-confidential", "client_secret": TestIssuer.secret]
    let plain: [String: String?] = [
      "client_id": "agent-confidential", "code_challenge": nil, "code_challenge_method": nil,
    ]
    #expect(try issuer.redeem(try issuer.code(plain), client).failure == "400 invalid_grant")
    let bare: [String: String?] = client.merging(["code_verifier": nil] as [String: String?]) { $1 }
    #expect(try issuer.redeem(try issuer.code(plain), bare).status == 200)
    #expect(try issuer.redeem(try issuer.code(["client_id": "agent-confidential"]), client).status == 200)
  }
}
