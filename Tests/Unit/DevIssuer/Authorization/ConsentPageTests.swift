import Encoding
import TestSupport
import Testing

@testable import devissuer

/// The page of the authorization endpoint, without a script.
@Suite struct `The consent page` {
  private func visit(_ issuer: TestIssuer, _ changes: [String: String?] = [:]) throws -> (Visit, Reply) {
    let page = try issuer.authorize(changes)
    return (try Visit(page), page)
  }

  @Test func `a user sees who asks for what, and approves`() throws {
    let issuer = try TestIssuer()
    let (visit, page) = try visit(issuer, ["scope": "openid calendar.read", "login_hint": "bob"])
    #expect(page.status == 200)
    for part in ["Agent", "agent-cli", "openid", "calendar.read", "http://127.0.0.1:51004"] {
      #expect(page.text.contains(part), "\(part)")
    }
    #expect(page.value(of: "username") == "bob")
    let answer = try issuer.answer(try visit.decide(issuer, "username=carol&decision=approve"))
    #expect(answer["state"] == "s t&=" && answer["iss"] == issuer.issuer)
    let tokens = try issuer.tokens(of: try issuer.redeem(try #require(answer["code"])))
    #expect(try issuer.get("/resource", bearer: tokens.access).json?["subject"]?.string == "user-carol")
    #expect(try issuer.counter("approvals") == 1)
  }

  @Test func `a user denies`() throws {
    let issuer = try TestIssuer()
    let (visit, _) = try visit(issuer)
    let answer = try issuer.answer(try visit.decide(issuer, "username=alice&decision=deny"))
    #expect(answer["error"] == "access_denied" && answer["code"] == nil)
    #expect(try issuer.counter("denials") == 1)
  }

  @Test func `a request is decided once, and in time`() throws {
    let issuer = try TestIssuer()
    let (first, _) = try visit(issuer)
    #expect(try first.decide(issuer, "username=alice&decision=approve").status == 303)
    #expect(try first.decide(issuer, "username=alice&decision=approve").status == 400)
    let (second, _) = try visit(issuer)
    issuer.clock.advance(seconds: 600)
    #expect(try second.decide(issuer, "username=alice&decision=approve").status == 400)
  }

  @Test func `the page lets its form go to the client's address and nowhere else`() throws {
    let issuer = try TestIssuer()
    let (_, page) = try visit(issuer)
    let policy = try #require(page[header: "Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
    #expect(policy.hasSuffix("; form-action 'self' http://127.0.0.1:51004; base-uri 'none'; frame-ancestors 'none'"))
    #expect(page[header: "Set-Cookie"]?.hasSuffix("; Path=/; HttpOnly; SameSite=Strict") == true)
    #expect(page[header: "Cache-Control"] == "no-store" && page[header: "X-Frame-Options"] == "DENY")
    #expect(!page.text.contains("<script") && !page.text.contains("style=\""))
    // A source of the policy cannot contain an IPv6 address.
    let (_, other) = try visit(issuer, ["redirect_uri": "http://[::1]:9/"])
    #expect(other[header: "Content-Security-Policy"]?.contains("form-action 'self' http:;") == true)
  }

  @Test func `what was sent comes back escaped`() throws {
    let issuer = try TestIssuer()
    let (_, page) = try visit(issuer, ["login_hint": "\"><script>", "scope": "<b>"])
    #expect(page.text.contains("value=\"&quot;&gt;&lt;script&gt;\"") && page.text.contains("<li>&lt;b&gt;</li>"))
    let refusal = try issuer.authorize(["redirect_uri": "http://<script>/"])
    #expect(refusal.status == 400 && !refusal.text.contains("<script"))
  }

  @Test func `a form of another site is refused`() throws {
    let issuer = try TestIssuer()
    let (mine, _) = try visit(issuer)
    let (theirs, _) = try visit(issuer)
    let form = "request=\(mine.request ?? "")&username=alice&decision=approve"
    #expect(try issuer.post("/authorize/decision", form).status == 403)
    #expect(try issuer.post("/authorize/decision", form + "&csrf=\(mine.csrf)").status == 403)
    let mixed = Visit(cookie: mine.cookie, csrf: theirs.csrf, request: mine.request)
    #expect(try mixed.decide(issuer, "username=alice&decision=approve").status == 403)
    #expect(try mine.decide(issuer, "username=alice&decision=approve").status == 303)
  }

  @Test(arguments: ["username=%3Cb%3E&decision=approve", "username=&decision=approve", "username=alice"])
  func `what cannot be taken is asked again`(form: String) throws {
    let issuer = try TestIssuer()
    let (visit, _) = try visit(issuer)
    let page = try visit.decide(issuer, form)
    #expect(page.status == 200 && page.text.contains("role=\"alert\""))
    #expect(try visit.decide(issuer, "username=alice&decision=approve").status == 303)
  }

  @Test func `unknown requests are explained`() throws {
    let issuer = try TestIssuer()
    let (visit, _) = try visit(issuer)
    let other = Visit(cookie: visit.cookie, csrf: visit.csrf, request: TestIssuer.challenge)
    #expect(try other.decide(issuer, "username=alice&decision=approve").status == 400)
  }
}
