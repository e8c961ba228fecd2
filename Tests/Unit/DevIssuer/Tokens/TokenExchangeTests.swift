import Encoding
import TestSupport
import Testing

@testable import devissuer

/// RFC 8693.
@Suite struct `Token exchange` {
  private static let type = "urn:ietf:params:oauth:token-type:access_token"

  private func exchange(
    _ issuer: TestIssuer, _ token: String, _ changes: [String: String?] = [:]
  ) throws -> Reply {
    var parameters = [
      "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "agent-cli",
      "subject_token": token, "subject_token_type": Self.type,
    ]
    for (name, value) in changes { parameters[name] = value }
    return try issuer.post("/token", TestIssuer.form(parameters))
  }

  private func introspect(_ issuer: TestIssuer, _ token: String) throws -> JSON {
    try #require(try issuer.post("/introspect", "token=\(token)&" + TestIssuer.confidential).json)
  }

  @Test func `a token is exchanged for one with another audience and less scope (section 2.2.1)`() throws {
    let issuer = try TestIssuer()
    let mine = try issuer.signIn(scope: "openid read write")
    let reply = try exchange(issuer, mine.access, ["audience": "backend", "scope": "read"])
    let tokens = try issuer.tokens(of: reply)
    #expect(tokens.json["issued_token_type"]?.string == Self.type)
    #expect(tokens.json["token_type"]?.string == "Bearer" && tokens.json["scope"]?.string == "read")
    #expect(tokens.refresh == nil && tokens.id == nil && tokens.access != mine.access)
    let json = try introspect(issuer, tokens.access)
    #expect(json["aud"] == ["backend"] && json["sub"]?.string == "user-alice" && json["act"] == nil)
    #expect(try issuer.counter("exchanges") == 1)
  }

  @Test func `it ends with the token's grant`() throws {
    let issuer = try TestIssuer()
    let mine = try issuer.signIn()
    let other = try issuer.tokens(of: try exchange(issuer, mine.access)).access
    #expect(try issuer.get("/resource", bearer: other).status == 200)
    _ = try issuer.post("/revoke", "client_id=agent-cli&token=\(try #require(mine.refresh))")
    #expect(try issuer.get("/resource", bearer: other).status == 401)
  }

  @Test func `a confidential client acts for the user (section 4.1)`() throws {
    let issuer = try TestIssuer()
    let mine = try issuer.signIn()
    let form = "grant_type=client_credentials&" + TestIssuer.confidential
    let service = try issuer.tokens(of: try issuer.post("/token", form)).access
    let reply = try exchange(
      issuer, mine.access,
      [
        "client_id": "agent-confidential", "client_secret": TestIssuer.secret, "actor_token": service,
        "actor_token_type": Self.type,
      ])
    let json = try introspect(issuer, try issuer.tokens(of: reply).access)
    #expect(json["act"] == ["sub": "agent-confidential"] && json["sub"]?.string == "user-alice")
    #expect(json["client_id"]?.string == "agent-confidential")
  }

  @Test(
    arguments: [
      (["subject_token": nil], "invalid_request"), (["subject_token": "x"], "invalid_request"),
      (["subject_token": TestIssuer.challenge], "invalid_request"), (["subject_token_type": nil], "invalid_request"),
      (["subject_token_type": "urn:ietf:params:oauth:token-type:jwt"], "invalid_request"),
      (["requested_token_type": "urn:ietf:params:oauth:token-type:saml2"], "invalid_request"),
      (["actor_token_type": type], "invalid_request"), (["actor_token": "x"], "invalid_request"),
      (["scope": "admin"], "invalid_scope"), (["resource": "x"], "invalid_target"),
    ] as [([String: String?], String)])
  func `what cannot be exchanged is refused (section 2.2.2)`(changes: [String: String?], error: String) throws {
    let issuer = try TestIssuer()
    #expect(try exchange(issuer, try issuer.signIn().access, changes).failure == "400 \(error)")
  }

  @Test func `a public client exchanges its own tokens only`() throws {
    let issuer = try TestIssuer()
    let form = "grant_type=client_credentials&" + TestIssuer.confidential
    let other = try issuer.tokens(of: try issuer.post("/token", form)).access
    #expect(try exchange(issuer, other).failure == "400 invalid_request")
  }
}
