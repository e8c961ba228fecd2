/// Text that is safe to put into an HTML page.
struct Markup: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// Escapes every interpolated string; only the literal parts and other markup stay as they are.
  struct StringInterpolation: StringInterpolationProtocol {
    var html = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      html.reserveCapacity(literalCapacity)
    }

    mutating func appendLiteral(_ literal: String) {
      html += literal
    }

    mutating func appendInterpolation(_ text: String) {
      for scalar in text.unicodeScalars {
        switch scalar {
        case "&": html += "&amp;"
        case "<": html += "&lt;"
        case ">": html += "&gt;"
        case "\"": html += "&quot;"
        case "'": html += "&#39;"
        default: html.unicodeScalars.append(scalar)
        }
      }
    }

    mutating func appendInterpolation(_ markup: Markup) {
      html += markup.html
    }
  }

  let html: String

  init(stringLiteral value: String) {
    html = value
  }

  init(stringInterpolation: StringInterpolation) {
    html = stringInterpolation.html
  }

  static func joined(_ parts: [Markup]) -> Markup {
    parts.reduce("") { "\($0)\($1)" }
  }
}
