import Crypto
import Encoding

/// Pages for the user's browser: no script, nothing loaded, nothing stored.
struct Page: Sendable {
  private static let style = """
    body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem;color:#222;background:#fff}
    label{display:block;margin-top:1rem}input{font:inherit;padding:.4rem;width:100%;box-sizing:border-box}
    button{font:inherit;margin:1.5rem .5rem 0 0;padding:.5rem 1.5rem}
    .code{font-family:monospace;font-size:1.4rem;letter-spacing:.1em}.note{color:#666;font-size:.9rem}
    """

  private let styleHash: String

  init() throws(CryptoError) {
    styleHash = Base64.encode(try Digest.sha256.hash(Array(Self.style.utf8).span))
  }

  /// - Parameter formTarget: Where the answer to a form may redirect to, as a source of the Content Security
  ///   Policy: browsers apply `form-action` to redirects too.
  func response(status: Int = 200, title: String, formTarget: String? = nil, _ content: Markup) -> Response {
    let targets = ["'self'", formTarget].compactMap(\.self).joined(separator: " ")
    return response(status: status, title: title, directives: "form-action \(targets)", content)
  }

  /// A page that has the browser fetch an address and go there a second later.
  ///
  /// - Parameter source: The address as a source of the Content Security Policy.
  func twice(_ location: String, source: String) -> Response {
    response(
      status: 200, title: "One moment", directives: "img-src \(source)",
      """
      <meta http-equiv="refresh" content="1;url=\(location)">
      <p><img src="\(location)" alt="">You are sent back to your program.</p>
      """)
  }

  private func response(status: Int, title: String, directives: String, _ content: Markup) -> Response {
    let style = Markup(stringLiteral: Self.style)
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(title)</title><style>\(style)</style></head>
      <body><h1>\(title)</h1>
      \(content)
      <p class="note">This is a development tool. It asks for no password and protects nothing.</p>
      </body></html>

      """
    let policy =
      "default-src 'none'; style-src 'sha256-\(styleHash)'; \(directives); base-uri 'none'; frame-ancestors 'none'"
    return Response(
      status: status,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Security-Policy", policy),
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
      ],
      body: Array(page.html.utf8))
  }
}
