import Encoding
import JOSE
import TestSupport
import Testing

@testable import devissuer

@Suite struct `Misbehaving at authorization` {
  private func answer(_ fault: String) throws -> [String: String] {
    let issuer = try TestIssuer.approving()
    try issuer.control("break_authorization=\(fault)")
    let answer = try issuer.answer(try issuer.authorize())
    #expect(try issuer.counter("misbehaviours") == 1)
    return answer
  }

  @Test func `the issuer's name can be wrong or missing`() throws {
    #expect(try answer("wrong_iss")["iss"] == "https://issuer.invalid")
    #expect(try answer("missing_iss").keys.sorted() == ["code", "state"])
  }

  @Test func `the state can be wrong or missing`() throws {
    #expect(try answer("wrong_state")["state"] == "xs t&=")
    #expect(try answer("missing_state").keys.sorted() == ["code", "iss"])
  }

  @Test func `an access token can come along`() throws {
    #expect(try answer("access_token")["access_token"] == "x")
  }

  @Test func `errors have the same faults`() throws {
    let issuer = try TestIssuer { $0.approval = .never }
    try issuer.control("break_authorization=wrong_iss")
    let answer = try issuer.answer(try issuer.authorize())
    #expect(answer["error"] == "access_denied" && answer["iss"] == "https://issuer.invalid")
  }

  @Test func `a parameter can come twice`() throws {
    let issuer = try TestIssuer.approving { $0.set(.authorization, "duplicate") }
    let location = try #require(try issuer.authorize()[header: "Location"])
    #expect(location.split(separator: "code=").count == 3)
  }

  @Test func `the code can be that of the answer before`() throws {
    let issuer = try TestIssuer.approving()
    let first = try issuer.code()
    try issuer.control("break_authorization=replayed_code")
    #expect(try issuer.code() == first)
    try issuer.control("break_authorization=off")
    #expect(try issuer.code() != first)
  }

  @Test func `the browser can bring the answer twice`() throws {
    let issuer = try TestIssuer.approving { $0.set(.authorization, "twice") }
    let page = try issuer.authorize()
    #expect(page.status == 200)
    #expect(page[header: "Content-Security-Policy"]?.contains("; img-src http://127.0.0.1:51004;") == true)
    #expect(page.text.contains("<img src=\"\(TestIssuer.redirectURI)?code="))
    #expect(page.text.contains("content=\"1;url=\(TestIssuer.redirectURI)?code="))
  }

  @Test(
    arguments: [
      ("malformed", "not a URI"), ("http", "http://issuer.invalid/request"), ("missing", nil),
    ] as [(String, String?)])
  func `the reference to a pushed request can be wrong`(fault: String, uri: String?) throws {
    let issuer = try TestIssuer.approving()
    try issuer.control("break_par=\(fault)")
    let reply = try issuer.post("/par", TestIssuer.form(TestIssuer.goodRequest))
    #expect(reply.status == 201 && reply.json?["request_uri"]?.string == uri)
    #expect(try issuer.counter("misbehaviours") == 1)
  }

  @Test func `a pushed request can get the wrong status or an unknown reference`() throws {
    let issuer = try TestIssuer.approving { $0.set(.par, "status") }
    #expect(try issuer.post("/par", TestIssuer.form(TestIssuer.goodRequest)).status == 200)
    try issuer.control("break_par=unknown")
    let uri = try issuer.post("/par", TestIssuer.form(TestIssuer.goodRequest)).json?["request_uri"]?.string
    let form = TestIssuer.form(["client_id": "agent-cli", "request_uri": try #require(uri)])
    #expect(try issuer.get("/authorize?" + form).status == 400)
  }

  @Test(
    arguments: [
      ("nonce", "nonce", JSON.string("another nonce")), ("no_nonce", "nonce", nil), ("acr", "acr", "another context"),
      ("auth_time", "auth_time", .int(TestIssuer.startSeconds - 86_400)),
    ] as [(String, String, JSON?)])
  func `what binds an ID Token to its sign-in can be wrong`(fault: String, claim: String, value: JSON?) throws {
    let issuer = try TestIssuer.approving()
    try issuer.control("break_id_token=\(fault)")
    let tokens = try issuer.tokens(of: try issuer.redeem(try issuer.code()))
    let text = Array(try #require(tokens.id).utf8)
    let claims = try JSON(parsing: try UnverifiedJWS(compact: text.span).unverifiedPayload)
    #expect(claims[claim] == value)
  }

  @Test func `the metadata can keep silent about PKCE, or announce plain only`() throws {
    let issuer = try TestIssuer()
    func methods() throws -> JSON? {
      try issuer.get("/.well-known/openid-configuration").json?["code_challenge_methods_supported"]
    }
    try issuer.control("break_metadata=no_s256")
    #expect(try methods() == nil)
    try issuer.control("break_metadata=plain")
    #expect(try methods() == ["plain"])
    try issuer.control("break_metadata=no_iss_parameter")
    #expect(try methods() == ["S256"])
    let json = try issuer.get("/.well-known/openid-configuration").json
    #expect(json?["authorization_response_iss_parameter_supported"] == false)
  }

  @Test func `half an answer can be asked of any endpoint`() throws {
    let issuer = try TestIssuer.approving()
    try issuer.control("body=truncated&body_at=par&times=1")
    #expect(try issuer.redeem(try issuer.code()).status == 200)
    let reply = try issuer.post("/par", TestIssuer.form(TestIssuer.goodRequest))
    #expect(reply.status == 201 && reply.json == nil && !reply.body.isEmpty)
    #expect(try issuer.post("/par", TestIssuer.form(TestIssuer.goodRequest)).json != nil)
    #expect(try issuer.post("/control", "body=html&body_at=control").status == 400)
  }
}
