/// Requests a DPoP proof for one HTTP request (RFC 9449).
package struct ProofRequest: RequestBody {
  /// The account; nil for the active one.
  package var account: String?
  /// The HTTP method, case-sensitive.
  package var method: String
  package var url: String
  /// The server's last nonce.
  package var nonce: String?
  /// Whether to return the access token too.
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

  package var row: RequestRow {
    RequestRow("proof", .repeatable, from: .authorizationServer, about: .accountOrListing(account))
  }

  package mutating func pass<Pass: MemberPass>(_ members: inout Pass) throws(Pass.Problem) {
    try members.text("account", &account, "The account (default: the one that lists the host of the URL).")
    try members.text("method", &method, "The method of the request, exactly as it will be sent.")
    try members.text("url", &url, "The URL of the request: https, or http if the account allows it.")
    try members.text("nonce", &nonce, "The server's last `DPoP-Nonce`. It is remembered for its origin.")
    try members.flag("access_token", &accessToken, "Return the members of `token`, too, with the token of the proof.")
  }

  package var page: RequestPage {
    RequestPage(
      "Returns the proof that one HTTP request with a sender-constrained access token needs (RFC 9449). Each request"
        + " needs its own proof. The URL chooses the account, as for `resource`, and an origin that no account lists gets"
        + " no proof.",
      result: [
        MemberRow("account", "text", "The account of the token."),
        MemberRow("dpop", "text", "The value of the header `DPoP`."),
      ])
  }
}
