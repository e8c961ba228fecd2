/// Asks for a proof that the sender of one HTTP request holds the key which the account's access token is
/// bound to (RFC 9449).
package struct ProofRequest: Sendable, Hashable {
  /// The account; nil means the active one.
  package var account: String?
  /// The method of the request, as it will be sent: case matters.
  package var method: String
  /// Where it will be sent.
  package var url: String
  /// The last nonce that the server gave.
  package var nonce: String?
  /// Answer as to a token request, with the very token that the proof is for.
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
    guard let method = try members.text("method"), let url = try members.text("url") else {
      throw Failure(.invalidRequest, "a proof needs a method and a URL")
    }
    account = try members.text("account")
    self.method = method
    self.url = url
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
