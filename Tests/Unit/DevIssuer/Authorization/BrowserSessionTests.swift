import Encoding
import Crypto
import TestSupport
import Testing

@testable import devissuer

/// OpenID Connect Core 1.0 section 3.1.2.1: `prompt`, `max_age`, `acr_values`, `login_hint`.
@Suite struct `Sign-ins that a browser keeps` {
  private let approve = "username=bob&decision=approve"

  private func claims(_ issuer: TestIssuer, _ reply: Reply) throws -> JSON {
    let tokens = try issuer.tokens(of: try issuer.redeem(try #require(try issuer.answer(reply)["code"])))
    let text = Array(try #require(tokens.id).utf8)
    return try JSON(parsing: try UnverifiedJWS(compact: text.span).unverifiedPayload)
  }

  /// Signs in bob and returns the cookie.
  private func signedIn(_ issuer: TestIssuer, _ changes: [String: String?] = [:]) throws -> String {
    let reply = try Visit(try issuer.authorize(changes)).decide(issuer, approve)
    return try #require(reply.sessionCookie)
  }

  @Test func `nobody is asked with prompt=none, and nobody is let in without a sign-in`() throws {
    let issuer = try TestIssuer()
    #expect(try issuer.answer(try issuer.authorize(["prompt": "none"]))["error"] == "login_required")
    let cookie = try signedIn(issuer)
    issuer.clock.advance(seconds: 100)
    let claims = try claims(issuer, try issuer.authorize(["prompt": "none"], headers: ["Cookie: \(cookie)"]))
    #expect(claims["sub"]?.string == "user-bob" && claims["acr"]?.string == "basic")
    #expect(claims["auth_time"]?.int == TestIssuer.startSeconds)
  }

  @Test(arguments: [["max_age": "99"], ["acr_values": "strong"], ["login_hint": "carol"]])
  func `a sign-in that is not what is wanted is none`(changes: [String: String]) throws {
    let issuer = try TestIssuer()
    let headers = ["Cookie: \(try signedIn(issuer))"]
    issuer.clock.advance(seconds: 100)
    let parameters = changes.merging(["prompt": "none"]) { $1 }.mapValues(Optional.some)
    #expect(try issuer.answer(try issuer.authorize(parameters, headers: headers))["error"] == "login_required")
  }

  @Test(arguments: [["max_age": "100"], ["acr_values": "gold basic"], ["login_hint": "bob"]])
  func `a sign-in that is what is wanted will do`(changes: [String: String]) throws {
    let issuer = try TestIssuer()
    let headers = ["Cookie: \(try signedIn(issuer))"]
    issuer.clock.advance(seconds: 100)
    let parameters = changes.merging(["prompt": "none"]) { $1 }.mapValues(Optional.some)
    #expect(try issuer.answer(try issuer.authorize(parameters, headers: headers))["code"] != nil)
  }

  @Test func `approving keeps the sign-in unless another one is wanted`() throws {
    let issuer = try TestIssuer()
    let cookie = try signedIn(issuer)
    issuer.clock.advance(seconds: 100)
    func authTime(_ changes: [String: String?], _ form: String) throws -> Int? {
      let page = try issuer.authorize(changes, headers: ["Cookie: \(cookie)"])
      #expect(page.value(of: "username") == "bob")
      return try claims(issuer, try Visit(page).decide(issuer, form, cookies: "; \(cookie)"))["auth_time"]?.int
    }
    let (old, new) = (TestIssuer.startSeconds, TestIssuer.startSeconds + 100)
    #expect(try authTime([:], approve) == old)
    #expect(try authTime(["prompt": "consent"], approve) == old)
    #expect(try authTime(["prompt": "login"], approve) == new)
    #expect(try authTime(["max_age": "99"], approve) == new)
    #expect(try authTime([:], "username=carol&decision=approve") == new)
  }

  @Test func `the first known acr value is what the ID Token says`() throws {
    let issuer = try TestIssuer.approving()
    #expect(try claims(issuer, try issuer.authorize(["acr_values": "gold strong basic"]))["acr"]?.string == "strong")
    #expect(try claims(issuer, try issuer.authorize(["acr_values": "gold"]))["acr"]?.string == "basic")
    let hinted = try claims(issuer, try issuer.authorize(["login_hint": "carol"]))
    #expect(hinted["acr"]?.string == "basic" && hinted["sub"]?.string == "user-carol")
  }

  @Test(arguments: [("prompt", "none login"), ("prompt", "Login"), ("max_age", "-1"), ("max_age", "soon")])
  func `malformed wishes are refused`(name: String, value: String) throws {
    let issuer = try TestIssuer.approving()
    #expect(try issuer.answer(try issuer.authorize([name: value]))["error"] == "invalid_request")
  }
}
