import Encoding
import TestSupport
import Testing

@testable import devissuer

/// OpenID Connect RP-Initiated Logout 1.0.
@Suite struct `Logging out at the issuer` {
  private struct SignedIn {
    let cookie: String
    let idToken: String
  }

  private func signIn(_ issuer: TestIssuer) throws -> SignedIn {
    let reply = try Visit(try issuer.authorize()).decide(issuer, "username=bob&decision=approve")
    let tokens = try issuer.tokens(of: try issuer.redeem(try #require(try issuer.answer(reply)["code"])))
    return SignedIn(cookie: try #require(reply.sessionCookie), idToken: try #require(tokens.id))
  }

  private func isSignedIn(_ issuer: TestIssuer, _ cookie: String) throws -> Bool {
    try issuer.answer(try issuer.authorize(["prompt": "none"], headers: ["Cookie: \(cookie)"]))["code"] != nil
  }

  private func leave(_ issuer: TestIssuer, _ parameters: [String: String], _ cookie: String) throws -> Reply {
    try issuer.get("/end_session?" + TestIssuer.form(parameters), headers: ["Cookie: \(cookie)"])
  }

  @Test func `the ID Token of the user is enough, even an old one (section 2)`() throws {
    let issuer = try TestIssuer()
    let user = try signIn(issuer)
    issuer.clock.advance(seconds: 10_000)
    let reply = try leave(issuer, ["id_token_hint": user.idToken], user.cookie)
    #expect(reply.status == 200 && reply.text.contains("Signed out"))
    #expect(reply[header: "Set-Cookie"]?.contains("Max-Age=0") == true)
    #expect(try !isSignedIn(issuer, user.cookie))
    #expect(try issuer.counter("logouts") == 1)
  }

  @Test func `the browser goes where the client wants it, with the state (section 3)`() throws {
    let issuer = try TestIssuer()
    let user = try signIn(issuer)
    let parameters = [
      "id_token_hint": user.idToken, "post_logout_redirect_uri": "http://127.0.0.1:9/bye", "state": "a&b",
    ]
    let reply = try leave(issuer, parameters, user.cookie)
    #expect(reply.status == 303 && reply[header: "Location"] == "http://127.0.0.1:9/bye?state=a%26b")
  }

  @Test func `without an ID Token the user is asked`() throws {
    let issuer = try TestIssuer()
    let user = try signIn(issuer)
    let parameters = ["client_id": "agent-cli", "post_logout_redirect_uri": "http://127.0.0.1:9/bye"]
    let page = try leave(issuer, parameters, user.cookie)
    #expect(page.status == 200 && page.text.contains("bob"))
    #expect(try isSignedIn(issuer, user.cookie))
    let visit = try Visit(page)
    var form = parameters
    form["decision"] = "logout"
    form["csrf"] = TestIssuer.challenge
    let headers = ["Cookie: \(visit.cookie); \(user.cookie)"]
    #expect(try issuer.post("/end_session", TestIssuer.form(form), headers: headers).status == 200)
    #expect(try isSignedIn(issuer, user.cookie))
    form["csrf"] = visit.csrf
    #expect(
      try issuer.post("/end_session", TestIssuer.form(form), headers: headers)[header: "Location"]
        == "http://127.0.0.1:9/bye")
    #expect(try !isSignedIn(issuer, user.cookie))
  }

  @Test func `nobody goes to a place that is not the client's`() throws {
    let issuer = try TestIssuer()
    let user = try signIn(issuer)
    let target = "http://127.0.0.1:9/bye"
    for parameters in [
      ["post_logout_redirect_uri": target], ["post_logout_redirect_uri": target, "client_id": "other"],
      ["post_logout_redirect_uri": "https://evil.example/", "id_token_hint": user.idToken],
      ["post_logout_redirect_uri": target, "id_token_hint": user.idToken + "A"],
      ["post_logout_redirect_uri": target, "id_token_hint": user.idToken, "client_id": "agent-confidential"],
    ] {
      let reply = try leave(issuer, parameters, user.cookie)
      #expect(reply.status == 400 && reply[header: "Location"] == nil)
    }
    #expect(try isSignedIn(issuer, user.cookie))
  }

  @Test func `somebody else's ID Token does not sign a user out`() throws {
    let issuer = try TestIssuer()
    let user = try signIn(issuer)
    let other = try #require(try issuer.signIn().id)
    #expect(try leave(issuer, ["id_token_hint": other], user.cookie).value(of: "csrf") != nil)
    #expect(try isSignedIn(issuer, user.cookie))
  }

  @Test func `nobody signed in is no error`() throws {
    let issuer = try TestIssuer()
    #expect(try issuer.get("/end_session").status == 200)
    #expect(try issuer.counter("logouts") == 0)
  }
}
