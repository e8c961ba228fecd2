import Crypto
import Encoding

/// A page for the user's browser. It has no script and loads nothing. Texts are escaped.
struct Page {
  let title: String
  var status = 200
  var problem: String?
  var lines: [String] = []
  var items: [String] = []
  /// The form's target; nil without a form.
  var action: String?
  /// The allowed redirect target of the form, as a source of the Content Security Policy: browsers apply
  /// `form-action` to redirects too.
  var source: String?
  var hidden: [(name: String, value: String)] = []
  var inputs: [(name: String, label: String, value: String)] = []
  /// Values are those of `decision`.
  var buttons: [(value: String, label: String)] = []

  static let wrongName = "A name has letters, digits and . _ - @ only, at most 64."
  static let decisions = [("approve", "Approve"), ("deny", "Deny")]

  private static let style = """
    body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem;color:#222;background:#fff}
    label{display:block;margin-top:1rem}input{font:inherit;padding:.4rem;width:100%;box-sizing:border-box}
    button{font:inherit;margin:1.5rem .5rem 0 0;padding:.5rem 1.5rem}
    """

  /// For an error that cannot be sent to the client.
  static func refusal(_ refusal: Refusal) -> IssuerAnswer {
    Page(
      title: "This cannot be done", status: refusal.answer.status,
      problem: "\(refusal.code): \(refusal.description)", lines: ["Start again in your program."]
    ).answer
  }

  /// Escapes text for an element or a quoted attribute.
  static func escaped(_ text: String) -> String {
    let escapes = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
    return text.unicodeScalars.map { escapes[String($0)] ?? String($0) }.joined()
  }

  var answer: IssuerAnswer {
    var parts = problem.map { ["<p role=\"alert\"><strong>\(Self.escaped($0))</strong></p>"] } ?? []
    parts += lines.map { "<p>\(Self.escaped($0))</p>" } + items.map { "<li>\(Self.escaped($0))</li>" }
    if let action {
      parts.append("<form method=\"post\" action=\"\(action)\">")
      parts += hidden.map { "<input type=\"hidden\" \(Self.attributes($0, $1))>" }
      parts += inputs.map {
        "<label for=\"\($0)\">\($1)</label>\n<input id=\"\($0)\" \(Self.attributes($0, $2)) autocomplete=\"off\">"
      }
      parts += buttons.map {
        "<button type=\"submit\" id=\"\($0)\" \(Self.attributes("decision", $0))>\($1)</button>"
      }
      parts.append("</form>")
    }
    let targets = ["'self'", source].compactMap(\.self).joined(separator: " ")
    return Self.answer(parts.joined(separator: "\n"), title: title, status: status, "form-action \(targets)")
  }

  private static func attributes(_ name: String, _ value: String) -> String {
    "name=\"\(name)\" value=\"\(escaped(value))\""
  }

  /// - Parameters:
  ///   - content: HTML.
  ///   - directives: Directives of the Content Security Policy.
  static func answer(_ content: String, title: String, status: Int = 200, _ directives: String) -> IssuerAnswer {
    let page = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(title)</title><style>\(style)</style></head>
      <body><h1>\(title)</h1>
      \(content)
      <p>This is a development tool. It asks for no password and protects nothing.</p>
      </body></html>

      """
    let hash = (try? Digest.sha256.hash(Array(style.utf8).span)).map(Base64.encode) ?? ""
    let policy =
      "default-src 'none'; style-src 'sha256-\(hash)'; \(directives); base-uri 'none'; frame-ancestors 'none'"
    return .content("text/html; charset=utf-8", Array(page.utf8), status).with("Content-Security-Policy", policy)
      .with("Referrer-Policy", "no-referrer").with("X-Frame-Options", "DENY")
  }

  /// A page that makes the browser fetch a URL, and navigate to it a second later.
  static func twice(_ location: String) -> IssuerAnswer {
    let source = (try? URI(location))?.policySource ?? "'none'"
    let address = escaped(location)
    let content = """
      <meta http-equiv="refresh" content="1;url=\(address)">
      <p><img src="\(address)" alt="">You are sent back to your program.</p>
      """
    return answer(content, title: "One moment", "img-src \(source)")
  }
}

extension URI {
  /// This URL as a source of the Content Security Policy, which cannot express an IPv6 address.
  var policySource: String { host.hasPrefix("[") ? scheme.lowercased() + ":" : origin }
}
