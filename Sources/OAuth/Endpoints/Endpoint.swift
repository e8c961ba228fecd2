package import Encoding

/// An endpoint's URL: https, or loopback http if allowed. Used as given, with its query (RFC 6749 sections 3.1 and
/// 3.2).
package struct Endpoint: Sendable, Hashable {
  package let uri: URI

  /// Throws `insecureURL` for another scheme; `invalidURL` for an invalid URL or a fragment.
  package init(_ text: String, allowHTTPLoopback: Bool) throws(OAuthError) {
    let uri: URI
    do { uri = try URI(text) } catch { throw OAuthError(.invalidURL, .url) }
    guard uri.isHTTPS || (allowHTTPLoopback && uri.isHTTPLoopback) else {
      throw OAuthError(insecure: uri, .url)
    }
    guard uri.fragment == nil else { throw OAuthError(.invalidURL, .url) }
    self.uri = uri
  }

  package var text: String { uri.text }

  /// Throws for the first invalid URL, in the order of the roles.
  package static func all(
    _ urls: [EndpointRole: String], allowHTTPLoopback: Bool
  ) throws(OAuthError) -> [EndpointRole: Endpoint] {
    var endpoints: [EndpointRole: Endpoint] = [:]
    for role in EndpointRole.allCases {
      guard let url = urls[role] else { continue }
      endpoints[role] = try Endpoint(url, allowHTTPLoopback: allowHTTPLoopback)
    }
    return endpoints
  }
}
