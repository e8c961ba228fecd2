import Encoding
import TestSupport
import Testing

@testable import devissuer

/// RFC 6749 section 4.4.
@Suite struct `Tokens for a client itself` {
  private let form = "grant_type=client_credentials&" + TestIssuer.confidential

  @Test func `a confidential client gets an access token and nothing else`() throws {
    let issuer = try TestIssuer()
    let reply = try issuer.post("/token", form + "&scope=read+openid+offline_access")
    let tokens = try issuer.tokens(of: reply)
    #expect(tokens.refresh == nil && tokens.id == nil)
    #expect(tokens.json["scope"]?.string == "read" && tokens.json["expires_in"]?.int == 3600)
    #expect(
      try issuer.get("/resource", bearer: tokens.access).json == [
        "message": "Hello, agent-confidential.", "subject": "agent-confidential",
      ])
    #expect(try issuer.get("/userinfo", bearer: tokens.access).status == 403)
    #expect(try issuer.counter("client_grants") == 1)
  }

  @Test func `introspection knows no user`() throws {
    let issuer = try TestIssuer()
    let tokens = try issuer.tokens(of: try issuer.post("/token", form))
    let json = try #require(try issuer.post("/introspect", "token=\(tokens.access)&" + TestIssuer.confidential).json)
    #expect(json["username"] == nil && json["sub"]?.string == "agent-confidential" && json["scope"]?.string == "guest")
  }

  @Test func `a public client gets nothing`() throws {
    let issuer = try TestIssuer()
    let failure = try issuer.post("/token", "grant_type=client_credentials&client_id=agent-cli").failure
    #expect(failure == "400 unauthorized_client")
  }

  @Test func `revoking the token ends it`() throws {
    let issuer = try TestIssuer()
    let tokens = try issuer.tokens(of: try issuer.post("/token", form))
    #expect(try issuer.post("/revoke", "token=\(tokens.access)&" + TestIssuer.confidential).status == 200)
    #expect(try issuer.get("/resource", bearer: tokens.access).status == 401)
  }
}
