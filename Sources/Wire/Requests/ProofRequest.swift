/// Asks for a DPoP proof for one HTTP request: that the sender has the key of the account's access token (RFC 9449).
package struct ProofRequest: Sendable, Hashable {
  /// The account; nil means the active one.
  package var account: String?
  /// The method of the HTTP request; case matters.
  package var method: String
  /// The URL of the HTTP request.
  package var url: String
  /// The last nonce of the server.
  package var nonce: String?
  /// Whether the result also has the access token of the proof, as for a token request.
  package var accessToken: Bool

  package init(
    account: String? = nil, method: String, url: String, nonce: String? = nil, accessToken: Bool = false
  ) {
    self.account = account
    self.method = method
    self.url = url
    self.nonce = nonce
    self.accessToken = accessToken
  }

  init(_ members: RequestMembers) throws(Failure) {
    account = try members.text("account")
    method = try members.required("method")
    url = try members.required("url")
    nonce = try members.text("nonce")
    accessToken = try members.flag("access_token")
  }

  func addMembers(to members: inout MemberWriter) {
    members.add("account", account)
    members.add("method", method)
    members.add("url", url)
    members.add("nonce", nonce)
    members.add("access_token", accessToken)
  }
}
