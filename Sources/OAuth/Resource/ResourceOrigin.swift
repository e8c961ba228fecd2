internal import Encoding
package import Vocabulary

/// A place that may get an access token: scheme, host and port (RFC 6454), compared as a whole.
package struct ResourceOrigin: Sendable, Hashable {
  /// `https://host`, with the port where it is not the usual one; lower case.
  package let text: String

  /// The place of a request.
  package init(of endpoint: Endpoint) { text = endpoint.uri.origin }

  /// Reads `host`, `host:port`, or the URL of nothing but a host and a port, as ``OriginEntry`` does.
  package init?(_ text: String, allowHTTPLoopback: Bool) {
    guard let entry = OriginEntry(text, allowHTTPLoopback: allowHTTPLoopback), entry.path.isEmpty, entry.isBare else {
      return nil
    }
    self.init(of: entry)
  }

  /// The place of an entry of the settings.
  package init(of entry: OriginEntry) { text = entry.origin }

  package static func == (one: ResourceOrigin, other: ResourceOrigin) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8)
  }
}
