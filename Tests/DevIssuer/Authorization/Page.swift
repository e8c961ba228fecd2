import Crypto
import Encoding

/// Pages for the user's browser: no script, nothing loaded, nothing stored.
enum Page {
  static let wrongName = "A name has letters, digits and . _ - @ only, at most 64."

  static let decisionButtons = """
    <button type="submit" id="approve" name="decision" value="approve">Approve</button>
    <button type="submit" id="deny" name="decision" value="deny">Deny</button>
    """

  private static let style = """
    body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem;color:#222;background:#fff}
    label{display:block;margin-top:1rem}input{font:inherit;padding:.4rem;width:100%;box-sizing:border-box}
    button{font:inherit;margin:1.5rem .5rem 0 0;padding:.5rem 1.5rem}
    .code{font-family:monospace;font-size:1.4rem;letter-spacing:.1em}.note{color:#666;font-size:.9rem}
    """

  /// Text as it may stand in an element or between quotation marks.
  static func escaped(_ text: String) -> String {
    let escapes = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
    return text.unicodeScalars.map { escapes[String($0)] ?? String($0) }.joined()
  }

  /// - Parameters:
  ///   - content: HTML; texts from elsewhere are escaped.
  ///   - directives: Of the Content Security Policy, for what this page needs.
  static func answer(
    _ content: String, title: String, status: Int = 200, directives: String = "form-action 'self'"
  ) -> IssuerAnswer {
    let page = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(title)</title><style>\(style)</style></head>
      <body><h1>\(title)</h1>
      \(content)
      <p class="note">This is a development tool. It asks for no password and protects nothing.</p>
      </body></html>

      """
    let styleHash = (try? Digest.sha256.hash(Array(style.utf8).span)).map(Base64.encode) ?? ""
    let policy =
      "default-src 'none'; style-src 'sha256-\(styleHash)'; \(directives); base-uri 'none'; frame-ancestors 'none'"
    return IssuerAnswer(
      status: status,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", policy),
        ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
      ],
      body: Array(page.utf8))
  }

  /// What the user sees when the answer can go nowhere.
  static func refusal(_ text: String, status: Int) -> IssuerAnswer {
    answer(
      "<p role=\"alert\">\(escaped(text))</p><p>Start again in your program.</p>", title: "This cannot be done",
      status: status)
  }

  static func refusal(_ refusal: Refusal) -> IssuerAnswer {
    Self.refusal("\(refusal.code): \(refusal.description)", status: refusal.answer.status)
  }

  /// A page that has the browser fetch an address and go there a second later.
  static func twice(_ location: String) -> IssuerAnswer {
    let source = (try? URI(location)).map { RedirectTarget(uri: $0, state: nil).policySource } ?? "'none'"
    let address = escaped(location)
    return answer(
      """
      <meta http-equiv="refresh" content="1;url=\(address)">
      <p><img src="\(address)" alt="">You are sent back to your program.</p>
      """, title: "One moment", directives: "img-src \(source)")
  }

  /// Who asks for what.
  static func asking(_ client: IssuerClient, _ scope: [String], as username: String? = nil) -> String {
    let user = username.map { " as <strong>\(escaped($0))</strong>" } ?? ""
    return "<p><strong>\(escaped(client.name))</strong> (\(escaped(client.id))) asks for access\(user):</p>"
      + "<ul>\(scope.map { "<li>\(escaped($0))</li>" }.joined())</ul>"
  }
}

/// Forms that no other site can send (RFC 6749 section 10.12, RFC 8628 section 5.4): the browser keeps a random cookie, and
/// the form holds the cookie's keyed hash. Another site can neither read the one nor make the other.
extension DevelopmentIssuer {
  private static let formCookie = "devissuer"

  /// - Parameters:
  ///   - source: Where the answer to the form may redirect to, as a source of the Content Security Policy: browsers apply
  ///     `form-action` to redirects too.
  ///   - fields: Of the form, as HTML.
  func formPage(
    _ request: IssuerRequest, to action: String, title: String, status: Int = 200, source: String? = nil,
    problem: String? = nil, before: String, _ fields: String
  ) throws -> IssuerAnswer {
    let known = request.cookie(Self.formCookie)
    let cookie = try known ?? Self.opaque()
    let notice = problem.map { "<p role=\"alert\"><strong>\(Page.escaped($0))</strong></p>" } ?? ""
    let content = """
      \(notice)
      \(before)
      <form method="post" action="\(action)">
      <input type="hidden" name="csrf" value="\(try seal("form", cookie))">
      \(fields)
      </form>
      """
    let targets = ["'self'", source].compactMap(\.self).joined(separator: " ")
    var answer = Page.answer(content, title: title, status: status, directives: "form-action \(targets)")
    if known == nil {
      answer[header: "Set-Cookie"] = "\(Self.formCookie)=\(cookie); Path=/; HttpOnly; SameSite=Strict"
    }
    return answer
  }

  func isOwnForm(_ request: IssuerRequest, _ form: IssuerParameters) throws -> Bool {
    guard let found = form["csrf"], let cookie = request.cookie(Self.formCookie) else { return false }
    return isSame(try seal("form", cookie), found)
  }

  static func isUsername(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "._-@".utf8.contains($0) }
  }
}
