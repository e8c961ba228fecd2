internal import Encoding
package import Vocabulary

/// An origin that may receive an access token: scheme, host and port (RFC 6454).
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
