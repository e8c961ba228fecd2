internal import Encoding

/// A resource request's method, case-sensitive (RFC 9110 section 9.1).
package struct ResourceMethod: Sendable, Hashable {
  package static let maximumBytes = 32

  package let text: String

  /// Nil if invalid, too long, or forbidden: `CONNECT` opens a tunnel, `TRACE` and `TRACK` return the token (RFC 9110
  /// section 9.3.8), `PRI` is reserved (RFC 9113 section 11.6).
  package init?(_ text: String) {
    guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy(\.isTokenCharacter),
      !["CONNECT", "TRACE", "TRACK", "PRI"].contains(text.uppercased())
    else { return nil }
    self.text = text
  }

  package var isHead: Bool { isOne(of: ["HEAD"]) }

  /// Whether the request may be retried or redirected (RFC 9110 section 9.2.1).
  package var isSafe: Bool { isOne(of: ["GET", "HEAD", "OPTIONS"]) }

  /// Whether empty requests need `Content-Length: 0` (RFC 9110 section 8.6).
  package var usuallyHasContent: Bool { isOne(of: ["POST", "PUT", "PATCH"]) }

  /// Whether servers read content (RFC 9110 section 9.3.1). False for unknown methods.
  package var definesContent: Bool {
    usuallyHasContent
      || isOne(of: ["QUERY", "PROPFIND", "PROPPATCH", "MKCOL", "MKCALENDAR", "LOCK", "REPORT", "SEARCH", "ACL"])
  }

  private func isOne(of names: [String]) -> Bool { names.contains { $0.hasSameBytes(as: text) } }
}

/// An origin that may receive an access token (RFC 6454).
package struct ResourceOrigin: Sendable, Hashable {
  /// `https://host`, lowercase, with any non-default port.
  package let text: String

  package init(of endpoint: Endpoint) { text = endpoint.uri.origin }

  /// Parses `host`, `host:port`, or a URL of only an origin.
  package init?(_ text: String, allowHTTPLoopback: Bool) {
    guard let entry = OriginEntry(text, allowHTTPLoopback: allowHTTPLoopback), entry.path.isEmpty, entry.isBare else {
      return nil
    }
    self.init(of: entry)
  }

  package init(of entry: OriginEntry) { text = entry.origin }

  package static func == (one: ResourceOrigin, other: ResourceOrigin) -> Bool {
    one.text.hasSameBytes(as: other.text)
  }
}
