import Encoding
import Crypto
import TestSupport
import Testing

@testable import devissuer

/// RFC 6749 section 4.1, RFC 7636, RFC 9207.
@Suite struct `The authorization endpoint` {
  @Test func `the answer has the code, the state as it was, and the issuer`() throws {
    let issuer = try TestIssuer.approving()
    let reply = try issuer.authorize()
    let answer = try issuer.answer(reply)
    #expect(Set(answer.keys) == ["code", "state", "iss"])
    #expect(answer["state"] == "s t&=")
    #expect(answer["iss"] == issuer.issuer)
    #expect(reply[header: "Cache-Control"] == "no-store" && reply[header: "Referrer-Policy"] == "no-referrer")
    #expect(reply.body.isEmpty)
    #expect(try issuer.counter("authorizations") == 1)
  }

  @Test func `a request may come by POST (OpenID Connect Core 1.0 section 3.1.2.1)`() throws {
    let issuer = try TestIssuer.approving()
    let reply = try issuer.post("/authorize", TestIssuer.form(TestIssuer.goodRequest))
    #expect(try issuer.answer(reply)["code"] != nil)
  }

  @Test func `no state was sent, none comes back`() throws {
    let issuer = try TestIssuer.approving()
    #expect(try Set(issuer.answer(try issuer.authorize(["state": nil])).keys) == ["code", "iss"])
  }

  @Test(
    arguments: [
      ("client_id", nil), ("client_id", "other"), ("redirect_uri", nil), ("redirect_uri", "/callback"),
      ("redirect_uri", "http://localhost:51004/callback"), ("redirect_uri", "http://127.0.0.2:51004/"),
      ("redirect_uri", "https://127.0.0.1:51004/"), ("redirect_uri", "http://127.0.0.1:51004/x#fragment"),
      ("redirect_uri", "http://127.0.0.1.example.com/"), ("redirect_uri", "http://a@127.0.0.1:51004/"),
    ] as [(String, String?)])
  func `nothing is sent to a place that is not the client's (RFC 6749 section 4.1.2.1)`(
    name: String, value: String?
  ) throws {
    let issuer = try TestIssuer.approving()
    let reply = try issuer.authorize([name: value])
    #expect(reply.status == 400)
    #expect(reply[header: "Location"] == nil)
    #expect(reply[header: "Content-Type"] == "text/html; charset=utf-8")
  }

  @Test func `a parameter that comes twice is refused without a redirect (RFC 6749 section 3.1)`() throws {
    let issuer = try TestIssuer.approving()
    let query = TestIssuer.form(TestIssuer.goodRequest) + "&state=other"
    #expect(try issuer.get("/authorize?" + query).status == 400)
  }

  @Test(
    arguments: [
      ("response_type", nil, "invalid_request"), ("response_type", "token", "unsupported_response_type"),
      ("response_type", "code id_token", "unsupported_response_type"), ("response_mode", "fragment", "invalid_request"),
      ("request", "e30.e30.x", "request_not_supported"), ("scope", "a\"b", "invalid_scope"),
      // RFC 7636 section 4.4.1
      ("code_challenge", nil, "invalid_request"), ("code_challenge_method", nil, "invalid_request"),
      ("code_challenge_method", "plain", "invalid_request"), ("code_challenge", "short", "invalid_request"),
      ("code_challenge", TestIssuer.challenge + "=", "invalid_request"),
    ] as [(String, String?, String)])
  func `other mistakes go to the client, with state and issuer`(name: String, value: String?, error: String) throws {
    let issuer = try TestIssuer.approving()
    let answer = try issuer.answer(try issuer.authorize([name: value]))
    #expect(answer["error"] == error)
    #expect(answer["state"] == "s t&=" && answer["iss"] == issuer.issuer)
    #expect(answer["code"] == nil)
  }

  @Test(arguments: [
    "http://127.0.0.1:1/", "http://127.0.0.1/", "http://127.0.0.1:65535/a/b", "http://[::1]:51004/x", "http://[::1]",
  ])
  func `a native client may use any port of the loopback addresses (RFC 8252 section 7.3)`(uri: String) throws {
    let issuer = try TestIssuer.approving()
    let code = try issuer.code(["redirect_uri": uri])
    #expect(try issuer.redeem(code, ["redirect_uri": uri]).status == 200)
  }

  @Test func `a path can be required`() throws {
    let issuer = try TestIssuer.approving("--redirect-path=/callback")
    for path in ["/callback", "/callback/a", "/callback?x=1"] {
      #expect(try issuer.authorize(["redirect_uri": "http://127.0.0.1:9\(path)"]).status == 303, "\(path)")
    }
    for path in ["", "/", "/callbacks", "/Callback", "/other/callback"] {
      #expect(try issuer.authorize(["redirect_uri": "http://127.0.0.1:9\(path)"]).status == 400, "\(path)")
    }
  }

  @Test func `a redirect URI can be taken byte for byte (RFC 6749 section 3.1.2.3)`() throws {
    let registered = "http://localhost:8400/callback"
    let issuer = try TestIssuer.approving("--exact-redirect-uri=\(registered)")
    #expect(try issuer.authorize(["redirect_uri": registered]).status == 303)
    for other in [registered + "/", "http://localhost:8401/callback", "http://LOCALHOST:8400/callback"] {
      #expect(try issuer.authorize(["redirect_uri": other]).status == 400, "\(other)")
    }
  }

  @Test func `a query of the redirect URI stays (RFC 6749 section 3.1.2)`() throws {
    let issuer = try TestIssuer.approving()
    let location = try issuer.authorize(["redirect_uri": "http://127.0.0.1:9/x?a=1"])[header: "Location"]
    #expect(location?.hasPrefix("http://127.0.0.1:9/x?a=1&code=") == true)
  }

  @Test func `the user says no`() throws {
    let issuer = try TestIssuer("--approve=never")
    #expect(try issuer.answer(try issuer.authorize())["error"] == "access_denied")
  }
}
