import Encoding

/// Which redirect URIs are a client's own.
enum RedirectRule: Sendable, Hashable {
  /// This one, byte for byte (RFC 6749 section 3.1.2.3).
  case exact(String)
  /// Any port of 127.0.0.1 and of [::1], with a path of this beginning (RFC 8252 section 7.3).
  case loopback(pathPrefix: String)
  /// As registered but for the port (RFC 8252 section 7.3).
  case anyPort(of: URI)

  func allows(_ uri: URI) -> Bool {
    switch self {
    case .exact(let text):
      return uri.text.utf8.elementsEqual(text.utf8)
    case .loopback(let prefix):
      guard uri.isHTTPLoopback else { return false }
      let folder = prefix.utf8.last == UInt8(ascii: "/") ? prefix : prefix + "/"
      return uri.path.utf8.elementsEqual(prefix.utf8) || uri.path.utf8.starts(with: folder.utf8)
        || (uri.path.isEmpty && prefix == "/")
    case .anyPort(let registered):
      return uri.isHTTPLoopback && uri.host.utf8.elementsEqual(registered.host.utf8)
        && uri.path.utf8.elementsEqual(registered.path.utf8) && uri.query == registered.query
    }
  }
}
