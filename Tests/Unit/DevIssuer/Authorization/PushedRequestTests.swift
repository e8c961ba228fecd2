import Encoding
import TestSupport
import Testing

@testable import devissuer

/// RFC 9126.
@Suite struct `Pushed authorization requests` {
  private func push(_ issuer: TestIssuer, _ changes: [String: String?] = [:]) throws -> Reply {
    var parameters = TestIssuer.goodRequest
    for (name, value) in changes { parameters[name] = value }
    return try issuer.post("/par", TestIssuer.form(parameters))
  }

  private func authorize(_ issuer: TestIssuer, _ uri: String?, client: String = "agent-cli") throws -> Reply {
    try issuer.get("/authorize?" + TestIssuer.form(["client_id": client, "request_uri": try #require(uri)]))
  }

  @Test func `a pushed request is carried out (sections 2.2 and 4)`() throws {
    let issuer = try TestIssuer.approving()
    let reply = try push(issuer)
    #expect(reply.status == 201 && reply[header: "Cache-Control"] == "no-store")
    #expect(reply.json?["expires_in"]?.int == 60)
    let uri = try #require(reply.json?["request_uri"]?.string)
    #expect(uri.hasPrefix("urn:ietf:params:oauth:request_uri:"))
    let answer = try issuer.answer(try authorize(issuer, uri))
    #expect(answer["state"] == "s t&=" && answer["iss"] == issuer.issuer)
    #expect(try issuer.redeem(try #require(answer["code"])).status == 200)
    #expect(try issuer.counter("pushed_requests") == 1)
  }

  @Test func `parameters of the browser change nothing (RFC 9101 section 6.3)`() throws {
    let issuer = try TestIssuer.approving()
    let uri = try push(issuer).json?["request_uri"]?.string
    let answer = try issuer.answer(try issuer.authorize(["request_uri": uri, "state": "other", "scope": "admin"]))
    #expect(answer["state"] == "s t&=")
    let tokens = try issuer.tokens(of: try issuer.redeem(try #require(answer["code"])))
    #expect(tokens.json["scope"]?.string == "openid")
  }

  @Test func `a request URI is good once, for a minute, for its client`() throws {
    let issuer = try TestIssuer.approving()
    let uri = try push(issuer).json?["request_uri"]?.string
    #expect(try authorize(issuer, uri, client: "agent-confidential").status == 400)
    #expect(try authorize(issuer, uri).status == 303)
    #expect(try authorize(issuer, uri).status == 400)
    let late = try push(issuer).json?["request_uri"]?.string
    issuer.clock.advance(seconds: 60)
    let reply = try authorize(issuer, late)
    #expect(reply.status == 400 && reply.text.contains("invalid_request_uri"))
    #expect(try authorize(issuer, "https://example.com/request").status == 400)
  }

  @Test(
    arguments: [
      ("client_id", "other", "401 invalid_client"), ("redirect_uri", "https://evil.example/", "400 invalid_request"),
      ("redirect_uri", nil, "400 invalid_request"), ("request_uri", "urn:x", "400 invalid_request"),
      ("response_type", "token", "400 unsupported_response_type"), ("scope", "\"", "400 invalid_scope"),
      ("code_challenge_method", "plain", "400 invalid_request"), ("client_secret", "x", "401 invalid_client"),
    ] as [(String, String?, String)])
  func `mistakes are told at once (section 2.3)`(name: String, value: String?, failure: String) throws {
    #expect(try push(try TestIssuer.approving(), [name: value]).failure == failure)
  }

  @Test func `pushing can be required (section 5)`() throws {
    let issuer = try TestIssuer.approving("--require-par")
    let metadata = try issuer.get("/.well-known/openid-configuration").json
    #expect(metadata?["require_pushed_authorization_requests"] == true)
    #expect(metadata?["pushed_authorization_request_endpoint"]?.string == issuer.issuer + "/par")
    #expect(try issuer.answer(try issuer.authorize())["error"] == "invalid_request")
    #expect(try authorize(issuer, try push(issuer).json?["request_uri"]?.string).status == 303)
  }

  @Test func `there can be none`() throws {
    let issuer = try TestIssuer.approving("--no-par")
    let metadata = try issuer.get("/.well-known/openid-configuration").json
    #expect(metadata?["pushed_authorization_request_endpoint"] == nil)
    #expect(try push(issuer).status == 404)
    try issuer.control("par=offered")
    #expect(try push(issuer).status == 201)
  }
}
