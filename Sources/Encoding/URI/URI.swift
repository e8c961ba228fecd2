/// An absolute URI with a host (RFC 3986). Never normalized: URIs are equal if their bytes are. Rejects whitespace,
/// control characters, userinfo and IPv6 zones.
package struct URI: Sendable, Hashable {
  package static let maximumBytes = 2048

  /// In printable ASCII.
  package let text: String
  package let port: UInt16?
  /// Offsets in ``text``, which copy faster than strings.
  private let schemeEnd: UInt16
  private let hostEnd: UInt16
  private let pathStart: UInt16
  private let pathEnd: UInt16
  private let queryEnd: UInt16

  package init(_ text: String) throws(URIError) {
    let parser = try URIParser(text)
    self.text = text
    port = parser.port
    schemeEnd = UInt16(parser.scheme.upperBound)
    hostEnd = UInt16(parser.host.upperBound)
    pathStart = UInt16(parser.path.lowerBound)
    pathEnd = UInt16(parser.path.upperBound)
    queryEnd = UInt16(parser.query?.upperBound ?? parser.path.upperBound)
  }

  /// As written. Compare with ``hasScheme(_:)``.
  package var scheme: String { part(from: 0, to: schemeEnd) }

  /// As written, with brackets around an IPv6 address.
  package var host: String { part(from: schemeEnd + 3, to: hostEnd) }

  /// Empty, or begins with "/".
  package var path: String { part(from: pathStart, to: pathEnd) }

  /// The text after "?", still encoded; nil without "?".
  package var query: String? { pathEnd == queryEnd ? nil : part(from: pathEnd + 1, to: queryEnd) }

  /// The text after "#", still encoded; nil without "#".
  package var fragment: String? {
    queryEnd == text.utf8.count ? nil : part(from: queryEnd + 1, to: UInt16(text.utf8.count))
  }

  private func part(from start: UInt16, to end: UInt16) -> String {
    let utf8 = text.utf8
    let first = utf8.index(utf8.startIndex, offsetBy: Int(start))
    return String(decoding: utf8[first..<utf8.index(first, offsetBy: Int(end - start))], as: UTF8.self)
  }

  package static func == (one: URI, other: URI) -> Bool {
    one.text.hasSameBytes(as: other.text)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }

  /// - Parameter name: In lowercase, since schemes are case-insensitive (RFC 3986 section 3.1).
  package func hasScheme(_ name: String) -> Bool {
    scheme.lowercased().hasSameBytes(as: name)
  }

  package var isHTTPS: Bool { hasScheme("https") }

  /// Whether this is http at `127.0.0.1`, `[::1]` or `localhost` (RFC 8252 section 7.3), which libcurl (since 7.78) and
  /// browsers resolve themselves (RFC 6761 section 6.3). Names below `localhost` may belong to other hosts.
  package var isHTTPLoopback: Bool {
    hasScheme("http") && ["127.0.0.1", "[::1]", "localhost"].contains { host.lowercased().hasSameBytes(as: $0) }
  }

  /// Lowercase scheme and host, and the port unless default, for comparison (RFC 6454 section 6.2).
  package var origin: String {
    let base = scheme.lowercased() + "://" + host.lowercased()
    guard let port, port != defaultPort else { return base }
    return base + ":" + String(port)
  }

  /// Host and port, without the default port.
  package var authority: String { String(decoding: origin.utf8.dropFirst(scheme.utf8.count + 3), as: UTF8.self) }

  /// The scheme's port, or nil if unknown.
  package var defaultPort: UInt16? {
    switch scheme.lowercased() {
    case "https": 443
    case "http": 80
    // RFC 8314 section 3 and RFC 6409 section 3.1.
    case "imaps": 993
    case "submissions": 465
    case "submission": 587
    default: nil
    }
  }

  /// Adds fields to the query (RFC 6749 section 3.1), before a fragment. Not for secrets.
  package func appendingQuery(_ pairs: [(String, String)]) -> String {
    guard !pairs.isEmpty else { return text }
    var bytes = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
    if query == nil { bytes.append(UInt8(ascii: "?")) }
    var isFirst = query?.isEmpty ?? true
    for (name, value) in pairs {
      Form.append(name: name, value: value, to: &bytes, isFirst: &isFirst)
    }
    if let fragment {
      bytes.append(UInt8(ascii: "#"))
      bytes.append(utf8: fragment)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Why a string is not a valid URI. Contains no part of it.
package enum URIError: Error, Hashable, Sendable {
  /// More than 2048 bytes.
  case tooLong
  /// A character not allowed at its position, such as a space or quote.
  case invalidCharacter
  /// No scheme and colon at the start (RFC 3986 section 3.1).
  case noScheme
  /// No "//" after the scheme, or nothing after it (RFC 3986 section 3.2).
  case noHost
  /// Neither a DNS name nor an IP address (RFC 3986 section 3.2.2).
  case invalidHost
  /// Not a plain decimal number from 1 to 65535.
  case invalidPort
  /// A user name or password before the host (RFC 9110 section 4.2.4).
  case userinfoPresent
  /// A "%" without two hexadecimal digits (RFC 3986 section 2.1).
  case invalidPercentEncoding
}
