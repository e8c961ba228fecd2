internal import Encoding

/// The method of a request to a resource (RFC 9110 section 9.1). Case counts, so it stays as it is given.
package struct ResourceMethod: Sendable, Hashable {
  package static let maximumBytes = 32

  package let text: String

  /// - Returns: Nil if it is not a token, is too long, or is `CONNECT`, which asks for a tunnel, `TRACE` or `TRACK`, which
  ///   send the token back (RFC 9110 section 9.3.8), or `PRI` (RFC 9113 section 11.6).
  package init?(_ text: String) {
    guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy(\.isTokenCharacter),
      !["CONNECT", "TRACE", "TRACK", "PRI"].contains(text.uppercased())
    else { return nil }
    self.text = text
  }

  package var isHead: Bool { isOne(of: ["HEAD"]) }

  /// Whether a request may be sent again, or followed to another place, without a second effect
  /// (RFC 9110 section 9.2.1).
  package var isSafe: Bool { isOne(of: ["GET", "HEAD", "OPTIONS"]) }

  /// Whether a server expects to be told that there is no content (RFC 9110 section 8.6).
  package var usuallyHasContent: Bool { isOne(of: ["POST", "PUT", "PATCH"]) }

  /// Whether content has a meaning in a request with this method. Servers may leave it unread otherwise, as with GET
  /// (RFC 9110 section 9.3.1). False for methods that are not known.
  package var definesContent: Bool {
    usuallyHasContent
      || isOne(of: ["QUERY", "PROPFIND", "PROPPATCH", "MKCOL", "MKCALENDAR", "LOCK", "REPORT", "SEARCH", "ACL"])
  }

  private func isOne(of names: [String]) -> Bool { names.contains { $0.utf8.elementsEqual(text.utf8) } }
}
