import Encoding
import TestSupport
import Testing

@testable import devissuer

/// RFC 8707, and `audience` of RFC 8693 section 2.1.
@Suite struct `What a token is for` {
  private func audience(_ issuer: TestIssuer, _ reply: Reply) throws -> JSON? {
    let token = try issuer.tokens(of: reply).access
    return try issuer.post("/introspect", "token=\(token)&" + TestIssuer.confidential).json?["aud"]
  }

  private func code(_ issuer: TestIssuer, _ more: String) throws -> String {
    let reply = try issuer.get("/authorize?" + TestIssuer.form(TestIssuer.goodRequest) + more)
    return try #require(try issuer.answer(reply)["code"])
  }

  private func redeem(_ issuer: TestIssuer, _ code: String, _ more: String = "") throws -> Reply {
    let form = TestIssuer.form([
      "grant_type": "authorization_code", "code": code, "redirect_uri": TestIssuer.redirectURI,
      "client_id": "agent-cli", "code_verifier": TestIssuer.verifier,
    ])
    return try issuer.post("/token", form + more)
  }

  @Test func `without a wish there is no audience`() throws {
    let issuer = try TestIssuer.approving()
    #expect(try audience(issuer, try redeem(issuer, try code(issuer, ""))) == nil)
  }

  @Test func `several resources and audiences can be asked for (section 2.1)`() throws {
    let issuer = try TestIssuer.approving()
    let asked = try code(issuer, "&resource=https://a.example/&resource=https://b.example/x&audience=api")
    #expect(
      try audience(issuer, try redeem(issuer, asked)) == ["https://a.example/", "https://b.example/x", "api"])
  }

  @Test func `each token is for some of what was granted (section 2.2)`() throws {
    let issuer = try TestIssuer.approving()
    let asked = try code(issuer, "&resource=https://a.example/&resource=https://b.example/")
    let reply = try redeem(issuer, asked, "&resource=https://a.example/")
    #expect(try audience(issuer, reply) == ["https://a.example/"])
    var refresh = try #require(try issuer.tokens(of: reply).refresh)
    let second = try issuer.refresh(refresh, "&resource=https://b.example/&scope=openid")
    #expect(try audience(issuer, second) == ["https://b.example/"])
    refresh = try #require(try issuer.tokens(of: second).refresh)
    #expect(try issuer.refresh(refresh, "&resource=https://c.example/").failure == "400 invalid_target")
    // The rejection did not use up the token, and the grant is unchanged.
    #expect(try audience(issuer, try issuer.refresh(refresh)) == ["https://a.example/", "https://b.example/"])
  }

  @Test func `a target that was not granted is refused with the code, too`() throws {
    let issuer = try TestIssuer.approving()
    let asked = try code(issuer, "&resource=https://a.example/")
    #expect(try redeem(issuer, asked, "&resource=https://b.example/").failure == "400 invalid_target")
  }

  @Test func `narrowing the scope narrows one access token only (RFC 6749 section 6)`() throws {
    let issuer = try TestIssuer.approving()
    let tokens = try issuer.tokens(of: try issuer.redeem(try issuer.code(["scope": "openid read write"])))
    let narrow = try issuer.tokens(of: try issuer.refresh(try #require(tokens.refresh), "&scope=read"))
    #expect(narrow.json["scope"]?.string == "read" && narrow.id == nil)
    let wide = try issuer.tokens(of: try issuer.refresh(try #require(narrow.refresh)))
    #expect(wide.json["scope"]?.string == "openid read write")
  }

  @Test func `a device can ask, too`() throws {
    let issuer = try TestIssuer()
    let form = "client_id=agent-cli&resource=https://a.example/"
    let json = try issuer.post("/device_authorization", form).json
    let device = TestIssuer.Device(
      deviceCode: try #require(json?["device_code"]?.string), userCode: try #require(json?["user_code"]?.string))
    try issuer.control("approve=\(device.userCode)")
    #expect(try audience(issuer, try issuer.poll(device)) == ["https://a.example/"])
  }

  @Test(arguments: ["resource=/relative", "resource=https://a/%23f", "resource=x"])
  func `a resource is an absolute URI without a fragment (section 2)`(parameter: String) throws {
    let issuer = try TestIssuer.approving()
    let query = TestIssuer.form(TestIssuer.goodRequest) + "&" + parameter
    #expect(try issuer.answer(try issuer.get("/authorize?" + query))["error"] == "invalid_target")
    #expect(
      try issuer.post("/token", "grant_type=client_credentials&\(TestIssuer.confidential)&\(parameter)").failure
        == "400 invalid_target")
  }

  @Test func `an option names the targets that there are`() throws {
    let issuer = try TestIssuer.approving("--target=https://a.example/", "--target=api")
    let form = "grant_type=client_credentials&\(TestIssuer.confidential)"
    #expect(try audience(issuer, try issuer.post("/token", form + "&audience=api")) == ["api"])
    #expect(try issuer.post("/token", form + "&audience=other").failure == "400 invalid_target")
  }

  @Test func `no other parameter may come twice (RFC 6749 section 3.2)`() throws {
    let issuer = try TestIssuer.approving()
    let form = "grant_type=client_credentials&\(TestIssuer.confidential)&scope=a&scope=a"
    #expect(try issuer.post("/token", form).failure == "400 invalid_request")
  }
}
