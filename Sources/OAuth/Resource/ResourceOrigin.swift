internal import Encoding

/// A place that may get an access token: scheme, host and port (RFC 6454), compared as a whole.
package struct ResourceOrigin: Sendable, Hashable {
  /// `https://host`, with the port where it is not the usual one; lower case.
  package let text: String

  /// The place of a request.
  package init(of endpoint: Endpoint) { text = endpoint.uri.origin }

  /// Reads `host`, `host:port`, or an https URL of nothing but a host and a port; with `allowHTTPLoopback`
  /// also `http://127.0.0.1:port` and the like.
  package init?(_ text: String, allowHTTPLoopback: Bool) {
    let url = text.utf8.contains(UInt8(ascii: "/")) ? text : "https://" + text
    guard let uri = try? URI(url), uri.isHTTPS || (allowHTTPLoopback && uri.isHTTPLoopback),
      uri.path.isEmpty || uri.path.utf8.elementsEqual("/".utf8), uri.query == nil, uri.fragment == nil
    else { return nil }
    self.text = uri.origin
  }

  package static func == (one: ResourceOrigin, other: ResourceOrigin) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8)
  }
}
