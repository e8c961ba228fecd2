import Encoding
import TestSupport
import Testing

@testable import devissuer

/// RFC 6750 section 3.1, RFC 9470 and RFC 9728.
@Suite struct `Protected resources` {
  private func challenge(_ reply: Reply) -> String {
    reply[header: "WWW-Authenticate"] ?? "-"
  }

  private func token(_ issuer: TestIssuer, _ changes: [String: String?] = [:]) throws -> String {
    try issuer.tokens(of: try issuer.redeem(try issuer.code(changes))).access
  }

  @Test(arguments: ["", "/resource", "/echo"])
  func `a resource describes itself (RFC 9728 section 3)`(path: String) throws {
    let issuer = try TestIssuer()
    let reply = try issuer.get("/.well-known/oauth-protected-resource" + path)
    #expect(reply.status == 200 && reply[header: "Content-Type"] == "application/json")
    #expect(reply.json?["resource"]?.string == issuer.issuer + path)
    #expect(reply.json?["authorization_servers"] == [.string(issuer.issuer)])
    #expect(reply.json?["bearer_methods_supported"] == ["header"])
    #expect(try issuer.get("/.well-known/oauth-protected-resource/other").status == 404)
  }

  @Test func `the challenge leads to the description (RFC 9728 section 5.1)`() throws {
    let issuer = try TestIssuer()
    for path in ["/resource", "/echo"] {
      let address = "\(issuer.issuer)/.well-known/oauth-protected-resource\(path)"
      #expect(try challenge(issuer.get(path)) == "Bearer realm=\"devissuer\", resource_metadata=\"\(address)\"")
    }
  }

  @Test func `a scope can be required (RFC 6750 section 3.1)`() throws {
    let issuer = try TestIssuer.approving("--require-scope=write")
    let reply = try issuer.get("/resource", bearer: try token(issuer))
    #expect(reply.status == 403)
    #expect(challenge(reply).hasSuffix(", error=\"insufficient_scope\", scope=\"write\""))
    #expect(try issuer.get("/resource", bearer: try token(issuer, ["scope": "openid write"])).status == 200)
    try issuer.control("require_scope=off")
    #expect(try issuer.get("/resource", bearer: try token(issuer)).status == 200)
  }

  @Test func `another kind of sign-in can be required (RFC 9470 section 3)`() throws {
    let issuer = try TestIssuer.approving()
    let weak = try token(issuer)
    try issuer.control("require_acr=strong&require_max_age=60")
    let reply = try issuer.get("/resource", bearer: weak)
    #expect(reply.status == 401)
    #expect(
      challenge(reply).hasSuffix(
        ", error=\"insufficient_user_authentication\", error_description=\"another sign-in is needed\", "
          + "acr_values=\"strong\", max_age=\"60\""))
    let strong = try token(issuer, ["acr_values": "strong", "max_age": "60"])
    #expect(try issuer.get("/resource", bearer: strong).status == 200)
    issuer.clock.advance(seconds: 61)
    #expect(try issuer.get("/resource", bearer: strong).status == 401)
    try issuer.control("require_max_age=off")
    #expect(try issuer.get("/resource", bearer: strong).status == 200)
  }

  @Test func `a client without a user never signed in`() throws {
    let issuer = try TestIssuer("--require-max-age=60")
    let form = "grant_type=client_credentials&" + TestIssuer.confidential
    let guest = try issuer.tokens(of: try issuer.post("/token", form)).access
    #expect(try issuer.get("/resource", bearer: guest).status == 401)
  }

  @Test func `a token for another resource is refused (RFC 9068 section 4)`() throws {
    let issuer = try TestIssuer.approving()
    let mine = try token(issuer, ["resource": issuer.issuer + "/echo"])
    #expect(try issuer.get("/echo", bearer: mine).status == 200)
    #expect(try issuer.get("/resource", bearer: mine).status == 401)
  }

  @Test func `good tokens can be refused for a while`() throws {
    let issuer = try TestIssuer.approving()
    let mine = try token(issuer)
    try issuer.control("refuse_next=2")
    // A request without a token does not count.
    #expect(try issuer.get("/resource").status == 401)
    for status in [401, 401, 200] {
      let reply = try issuer.get("/resource", bearer: mine)
      #expect(reply.status == status)
      #expect(challenge(reply).contains("error=\"invalid_token\"") == (status == 401))
    }
  }

  @Test(arguments: ["require_acr=gold", "require_scope=a+b", "require_max_age=x", "redirect_to=x", "refuse_next=-1"])
  func `rules that are not understood are refused`(form: String) throws {
    #expect(try TestIssuer().post("/control", form).failure == "400 invalid_request")
  }
}
