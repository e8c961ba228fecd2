internal import Crypto
internal import Encoding

/// An account's client at an authorization server.
package struct Client: Sendable {
  package let id: String
  package let authentication: ClientAuthentication

  /// Throws unless `id` is 1 to 512 printable ASCII characters (RFC 6749 appendix A.1).
  package init(id: String, authentication: ClientAuthentication) throws(OAuthError) {
    guard (1...512).contains(id.utf8.count), id.utf8.allSatisfy(\.isPrintableASCII) else {
      throw OAuthError(.invalidClientID, .clientID)
    }
    // A colon would end the user name (RFC 7617 section 2).
    if case .basicUnencoded = authentication, id.utf8.contains(UInt8(ascii: ":")) {
      throw OAuthError(.invalidClientID, .clientID)
    }
    self.id = id
    self.authentication = authentication
  }

  func authenticated(by assertion: SharedSecret) throws(OAuthError) -> Client {
    try Client(id: id, authentication: .assertion(assertion))
  }

  /// Whether `id` is a client metadata URL (draft-ietf-oauth-client-id-metadata-document-03 section 3): https or
  /// allowed loopback http, a path without dot segments, no fragment, user name, uppercase host or default port, since
  /// servers compare bytes.
  package static func isMetadataURL(_ id: String, allowHTTPLoopback: Bool) -> Bool {
    guard let uri = try? URI(id), uri.isHTTPS || allowHTTPLoopback && uri.isHTTPLoopback else { return false }
    return !uri.path.isEmpty && !uri.hasDotSegments && uri.fragment == nil
      && id.utf8.dropFirst(uri.origin.utf8.count).first == UInt8(ascii: "/") && id.utf8.starts(with: uri.origin.utf8)
  }
}
