/// Requests a DPoP proof for one HTTP request (RFC 9449).
package struct ProofRequest: RequestBody {
  /// Nil for the account that lists the URL.
  package var account: String?
  /// Case-sensitive.
  package var method: String
  package var url: String
  /// The server's latest nonce, if any.
  package var nonce: String?
  package var wantsAccessToken: Bool

  package init(
    account: String? = nil, method: String, url: String, nonce: String? = nil, wantsAccessToken: Bool = false
  ) {
    self.account = account
    self.method = method
    self.url = url
    self.nonce = nonce
    self.wantsAccessToken = wantsAccessToken
  }

  package var properties: RequestProperties {
    RequestProperties("proof", .repeatable, from: .authorizationServer, about: .accountOrListing(account))
  }

  package mutating func visitMembers<Visitor: MemberVisitor>(with members: inout Visitor) throws(Visitor.Problem) {
    try members.visitText("account", &account, "The account (default: the one that lists the URL).")
    try members.visitText("method", &method, "The method of the request, exactly as it is sent.")
    try members.visitText("url", &url, "The URL of the request: https, or http if allowed.")
    try members.visitText("nonce", &nonce, "The server's last `DPoP-Nonce`. It is remembered for its origin.")
    try members.visitFlag(
      "access_token", &wantsAccessToken, "Return the members of `token` for it, too.")
  }

  package var manualEntry: RequestManualEntry {
    RequestManualEntry(
      "Returns the proof that one HTTP request with a sender-constrained access token needs (RFC 9449). Each request"
        + " needs its own proof. The URL chooses the account, as for `resource`, and an origin that no account lists gets"
        + " no proof.",
      result: [
        .text("account", "The account."),
        .text("dpop", "The value of the header `DPoP`."),
      ])
  }
}
