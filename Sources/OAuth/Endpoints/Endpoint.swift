package import Encoding
package import Vocabulary

/// The URL of an endpoint: https, or http to a loopback literal where the account allows that.
///
/// The text is kept and used exactly as given, query included (RFC 6749 sections 3.1 and 3.2).
package struct Endpoint: Sendable, Hashable {
  package let uri: URI

  /// - Throws: `insecureURL` for another scheme, `invalidURL` for text that is no URL or has a fragment.
  package init(_ text: String, allowHTTPLoopback: Bool) throws(OAuthError) {
    let uri: URI
    do { uri = try URI(text) } catch { throw OAuthError(.invalidURL, .url) }
    guard uri.isHTTPS || (allowHTTPLoopback && uri.isHTTPLoopback) else {
      throw OAuthError(insecure: uri, .url, allowHTTPLoopback: allowHTTPLoopback)
    }
    guard uri.fragment == nil else { throw OAuthError(.invalidURL, .url) }
    self.uri = uri
  }

  package var text: String { uri.text }

  /// The endpoints with these URLs.
  ///
  /// - Throws: As ``init(_:allowHTTPLoopback:)`` for the first URL, in the order of the roles, that is no endpoint.
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

extension OAuthError {
  /// A URL with another scheme than https. Plain http is for the addresses of this machine: a name such as `localhost` may
  /// lead elsewhere (RFC 8252 section 8.3).
  init(insecure uri: URI, _ subject: Subject, allowHTTPLoopback: Bool) {
    self.init(.insecureURL, subject)
    let isLocalhost = uri.hasScheme("http") && uri.host.lowercased().utf8.elementsEqual("localhost".utf8)
    if isLocalhost, allowHTTPLoopback {
      advice = "use 127.0.0.1 instead of localhost"
    } else if isLocalhost {
      advice = "use 127.0.0.1 instead of localhost, and --allow-http-loopback"
    } else if !uri.isHTTPLoopback {
      advice = "use https"
    }
  }
}
