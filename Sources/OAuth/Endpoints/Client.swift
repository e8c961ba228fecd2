/// The client as the authorization server knows it.
package struct Client: Sendable {
  package let id: String
  package let authentication: ClientAuthentication

  /// - Parameter id: 1 to 512 printable ASCII characters (RFC 6749 appendix A.1).
  /// - Throws: `invalidClientID`.
  package init(id: String, authentication: ClientAuthentication) throws(OAuthError) {
    guard (1...512).contains(id.utf8.count), id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw OAuthError(.invalidClientID, "the client id")
    }
    // Without form-encoding, a colon would end the user name of Basic too early (RFC 7617 section 2).
    if case .basicUnencoded = authentication, id.utf8.contains(UInt8(ascii: ":")) {
      throw OAuthError(.invalidClientID, "the client id")
    }
    self.id = id
    self.authentication = authentication
  }
}
