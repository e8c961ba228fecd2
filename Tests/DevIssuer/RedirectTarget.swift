import Encoding

/// Where the answer of the authorization endpoint goes.
struct RedirectTarget: Sendable {
  let uri: URI
  /// Comes back as it was sent (RFC 6749 section 4.1.2).
  let state: String?

  /// The source of the Content Security Policy that covers the URI. An IPv6 address cannot be written there.
  var policySource: String {
    uri.host.utf8.first == UInt8(ascii: "[") ? uri.scheme.lowercased() + ":" : uri.origin
  }
}
