package import Encoding

/// The URL of an endpoint: https, or http to a loopback literal where the account allows that.
///
/// The text is kept and used exactly as given, query included (RFC 6749 sections 3.1 and 3.2).
package struct Endpoint: Sendable, Hashable {
  package let uri: URI

  /// - Throws: `insecureURL` for another scheme, `invalidURL` for text that is no URL or has a fragment.
  package init(_ text: String, allowHTTPLoopback: Bool) throws(OAuthError) {
    let uri: URI
    do { uri = try URI(text) } catch { throw OAuthError(.invalidURL, "the URL") }
    guard uri.isHTTPS || (allowHTTPLoopback && uri.isHTTPLoopback) else { throw OAuthError(.insecureURL, "the URL") }
    guard uri.fragment == nil else { throw OAuthError(.invalidURL, "the URL") }
    self.uri = uri
  }

  package var text: String { uri.text }
}
