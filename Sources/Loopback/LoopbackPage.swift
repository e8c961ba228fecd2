internal import Encoding
package import Vocabulary

/// Browser pages at the redirect URI. They contain no part of the request except a reason that the terminal shows too.
package enum LoopbackPage: Sendable, Hashable, CaseIterable {
  /// The authorization response was received but not yet verified.
  case received
  /// The sign-in failed for this reason, a sentence without full stop; nil if the browser may be another user's.
  case failed(Phrase? = nil)
  /// The request is not the expected response.
  case foreign
  /// The sign-in link, valid once, was already used.
  case linkUsed
  case notFound, methodNotAllowed, malformed, tooLarge

  package static let allCases: [LoopbackPage] = [
    .received, .failed(), .foreign, .linkUsed, .notFound, .methodNotAllowed, .malformed, .tooLarge,
  ]

  /// An HTTP redirect. `url` is visible ASCII.
  package static func redirect(to url: String) -> [UInt8] {
    head("302 Found", [("Location", url)], bodyBytes: 0)
  }

  /// The response to TLS: the plain-text fatal alert `protocol_version` (RFC 8446 section 6.2).
  package static let tlsRefusal: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46]

  /// The HTTP response. Closes the connection.
  package func response(in language: Translations = .english) -> [UInt8] {
    let (title, text) = titleAndText
    return Self.response(
      title, text, in: language, status: status, self == .methodNotAllowed ? [("Allow", "GET")] : [])
  }

  /// The page after a sign-in by `person` (email address or name) on `machine` (nil for this one).
  package static func signedInPage(
    to issuer: String, as person: String?, account: String, on machine: String? = nil,
    in language: Translations = .english
  ) -> [UInt8] {
    response(
      signedInTitle,
      signedInText(
        TerminalText.clean(issuer), person.map { TerminalText.clean($0) }, TerminalText.clean(account),
        machine.map { Phrase(verbatim: TerminalText.clean($0)) } ?? thisMachine),
      in: language)
  }

  private static func response(
    _ title: Phrase, _ text: Phrase, in language: Translations, status: String = "200 OK",
    _ fields: [(String, String)] = []
  ) -> [UInt8] {
    let body = Array(html(escaped(language.text(title)), escaped(language.text(text)), language).utf8)
    return head(status, fields, bodyBytes: body.count) + body
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func head(_ status: String, _ more: [(String, String)], bodyBytes: Int) -> [UInt8] {
    let lines = (fields + more + [("Content-Length", "\(bodyBytes)")]).map { "\($0): \($1)\r\n" }
    return Array("HTTP/1.1 \(status)\r\n\(lines.joined())\r\n".utf8)
  }

  private static let style = """
    :root { color-scheme: light dark }
    body { max-width: 30rem; margin: 18vh auto 0; padding: 0 1.5rem; font: 1.1rem/1.5 system-ui, sans-serif;
      overflow-wrap: anywhere }
    h1 { font-size: 1.5rem; font-weight: 600 }
    """

  /// The SHA-256 of ``style`` in base64, precomputed since this module has no libcrypto.
  private static let styleHash = "+lR+AHxtmG8joLhyP6I5FuDroUyBn4fD5Y9S8FTihis="

  /// Forbid scripts, other styles and resources, caching and `Referer`, since the URL contains a code (RFC 9700 section
  /// 4.2).
  private static let fields = [
    ("Content-Type", "text/html; charset=utf-8"),
    (
      "Content-Security-Policy",
      "default-src 'none'; style-src 'sha256-\(styleHash)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"), ("Cross-Origin-Opener-Policy", "same-origin"), ("Connection", "close"),
  ]

  private var status: String {
    switch self {
    case .received: "200 OK"
    case .failed, .foreign, .malformed: "400 Bad Request"
    case .linkUsed: "410 Gone"
    case .notFound: "404 Not Found"
    case .methodNotAllowed: "405 Method Not Allowed"
    case .tooLarge: "431 Request Header Fields Too Large"
    }
  }

  /// Title and text are already escaped.
  private static func html(_ title: String, _ text: String, _ language: Translations) -> String {
    """
    <!DOCTYPE html>
    <html lang="\(language.language)" dir="\(language.isRightToLeft ? "rtl" : "ltr")">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>\(title)</title>
    <style>\(style)</style>
    </head>
    <body>
    <h1>\(title)</h1>
    <p>\(text)</p>
    </body>
    </html>

    """
  }
}
