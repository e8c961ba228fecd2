import Encoding
import TestSupport
import Testing

@testable import devissuer

/// RFC 8628 section 3.3, without a script.
@Suite struct `The verification pages` {
  private func visit(_ issuer: TestIssuer, _ path: String = "/device") throws -> (Visit, Reply) {
    let page = try issuer.get(path)
    return (try Visit(page), page)
  }

  private func post(_ issuer: TestIssuer, _ visit: Visit, _ form: String) throws -> Reply {
    try issuer.post("/device", "csrf=\(visit.csrf)&\(form)", headers: ["Cookie: other=1; \(visit.cookie)"])
  }

  @Test func `a user types the code, sees who asks for what, and approves`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice(scope: "openid calendar.read")
    let (visit, first) = try visit(issuer)
    #expect(first.status == 200)
    #expect(first.value(of: "user_code") == "")
    #expect(first.value(of: "username") == "alice")

    let typed = device.userCode.replacing("-", with: "").lowercased()
    let second = try post(issuer, visit, "user_code=\(typed)&username=bob")
    #expect(second.status == 200)
    for part in ["Agent", "agent-cli", "openid", "calendar.read", "bob", device.userCode] {
      #expect(second.text.contains(part), "\(part)")
    }
    #expect(second.value(of: "decision") == "approve")
    #expect(try issuer.poll(device).failure == "400 authorization_pending")

    let third = try post(issuer, visit, "user_code=\(device.userCode)&username=bob&decision=approve")
    #expect(third.status == 200 && third.text.contains("Access approved"))
    issuer.clock.advance(seconds: 5)
    let tokens = try issuer.tokens(of: try issuer.poll(device))
    #expect(try issuer.get("/resource", bearer: tokens.access).json?["subject"]?.string == "user-bob")
    #expect(try issuer.counter("approvals") == 1)
  }

  @Test func `a user denies`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    let (visit, _) = try visit(issuer)
    let page = try post(issuer, visit, "user_code=\(device.userCode)&username=alice&decision=deny")
    #expect(page.text.contains("Access denied"))
    #expect(try issuer.poll(device).failure == "400 access_denied")
  }

  @Test func `the complete address fills the code in and decides nothing (section 3.3.1)`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    let (_, page) = try visit(issuer, "/device?user_code=\(device.userCode)")
    #expect(page.value(of: "user_code") == device.userCode)
    #expect(try issuer.poll(device).failure == "400 authorization_pending")
  }

  @Test func `the page is as strict as a page can be`() throws {
    let issuer = try TestIssuer()
    let page = try issuer.get("/device")
    let policy = try #require(page[header: "Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
    #expect(policy.hasSuffix("; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"))
    #expect(page[header: "Cache-Control"] == "no-store")
    #expect(page[header: "Referrer-Policy"] == "no-referrer")
    #expect(page[header: "X-Content-Type-Options"] == "nosniff")
    #expect(page[header: "X-Frame-Options"] == "DENY")
    #expect(page[header: "Content-Type"] == "text/html; charset=utf-8")
    #expect(page[header: "Set-Cookie"]?.hasSuffix("; Path=/; HttpOnly; SameSite=Strict") == true)
    #expect(!page.text.contains("<script") && !page.text.contains("onclick") && !page.text.contains("style=\""))
  }

  @Test func `what was sent comes back escaped`() throws {
    let issuer = try TestIssuer()
    let hostile = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
    let shown = "value=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\""
    let (visit, page) = try visit(issuer, "/device?user_code=\(hostile)")
    #expect(page.text.contains(shown))
    let answer = try post(issuer, visit, "user_code=\(hostile)&username=alice")
    #expect(answer.text.contains(shown) && answer.text.contains("no such code"))
  }

  @Test func `a form of another site is refused`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    let form = "user_code=\(device.userCode)&username=alice&decision=approve"
    let (mine, _) = try visit(issuer)
    let (theirs, _) = try visit(issuer)
    #expect(try issuer.post("/device", form).status == 403)
    #expect(try issuer.post("/device", form + "&csrf=\(mine.csrf)").status == 403)
    #expect(try issuer.post("/device", form, headers: ["Cookie: \(mine.cookie)"]).status == 403)
    #expect(try post(issuer, Visit(cookie: mine.cookie, csrf: theirs.csrf, request: nil), form).status == 403)
    #expect(try issuer.poll(device).failure == "400 authorization_pending")
  }

  @Test(arguments: ["a%20b", "%3Cb%3E", "", String(repeating: "x", count: 65)])
  func `other names are refused`(name: String) throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    let (visit, _) = try visit(issuer)
    let page = try post(issuer, visit, "user_code=\(device.userCode)&username=\(name)&decision=approve")
    #expect(page.text.contains("A name has letters"))
    #expect(try issuer.poll(device).failure == "400 authorization_pending")
  }

  @Test func `a used or expired code is explained`() throws {
    let issuer = try TestIssuer()
    let (used, old) = (try issuer.authorizeDevice(), try issuer.authorizeDevice())
    let (visit, _) = try visit(issuer)
    try issuer.control("deny=\(used.userCode)")
    #expect(try post(issuer, visit, "user_code=\(used.userCode)&username=alice").text.contains("used already"))
    issuer.clock.advance(seconds: 600)
    #expect(try post(issuer, visit, "user_code=\(old.userCode)&username=alice").text.contains("has expired"))
  }

  @Test func `guessing is slowed down (section 5.1)`() throws {
    let issuer = try TestIssuer()
    let device = try issuer.authorizeDevice()
    let (visit, _) = try visit(issuer)
    for _ in 0..<20 {
      #expect(try post(issuer, visit, "user_code=BBBB-BBBB&username=alice").status == 200)
    }
    let right = "user_code=\(device.userCode)&username=alice&decision=approve"
    #expect(try post(issuer, visit, right).status == 429)
    issuer.clock.advance(seconds: 60)
    #expect(try post(issuer, visit, right).text.contains("Access approved"))
  }
}
