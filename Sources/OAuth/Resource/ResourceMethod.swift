internal import Encoding

/// The case-sensitive method of a request to a resource (RFC 9110 section 9.1).
package struct ResourceMethod: Sendable, Hashable {
  package static let maximumBytes = 32

  package let text: String

  /// Nil if `text` is not a method name, is too long, or is forbidden: `CONNECT` opens a tunnel, `TRACE` and `TRACK`
  /// return the token (RFC 9110 section 9.3.8), and `PRI` is reserved (RFC 9113 section 11.6).
  package init?(_ text: String) {
    guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy(\.isTokenCharacter),
      !["CONNECT", "TRACE", "TRACK", "PRI"].contains(text.uppercased())
    else { return nil }
    self.text = text
  }

  package var isHead: Bool { isOne(of: ["HEAD"]) }

  /// Whether the request has no side effects (RFC 9110 section 9.2.1), so that it may be retried or redirected.
  package var isSafe: Bool { isOne(of: ["GET", "HEAD", "OPTIONS"]) }

  /// Whether servers expect `Content-Length: 0` for an empty request (RFC 9110 section 8.6).
  package var usuallyHasContent: Bool { isOne(of: ["POST", "PUT", "PATCH"]) }

  /// Whether content has a defined meaning, so that servers read it (RFC 9110 section 9.3.1). False for unknown
  /// methods.
  package var definesContent: Bool {
    usuallyHasContent
      || isOne(of: ["QUERY", "PROPFIND", "PROPPATCH", "MKCOL", "MKCALENDAR", "LOCK", "REPORT", "SEARCH", "ACL"])
  }

  private func isOne(of names: [String]) -> Bool { names.contains { $0.hasSameBytes(as: text) } }
}

/// An origin that may receive an access token (RFC 6454).
package struct ResourceOrigin: Sendable, Hashable {
  /// `https://host` in lowercase, with the port unless it is the default.
  package let text: String

  package init(of endpoint: Endpoint) { text = endpoint.uri.origin }

  /// Parses `host`, `host:port`, or a URL with only a host and port, like ``OriginEntry``.
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
