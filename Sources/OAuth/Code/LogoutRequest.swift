internal import Encoding

extension AuthorizationServerMetadata {
  /// Where a browser ends its own session at the server (OpenID Connect RP-Initiated Logout 1.0 section 2); nil when
  /// the server has no such page.
  ///
  /// The user is named by `logout_hint` and the client by `client_id`, both of which section 2 offers in the place of
  /// `id_token_hint`. An ID Token there would lie about in the history of the browser, in the arguments of the program
  /// that opens it and in the server's logs, and some resources still take it for a credential; without it the server
  /// asks the person before it signs out, which is what section 2 wants of it anyhow. No
  /// `post_logout_redirect_uri` is sent, since nothing waits for the browser (section 3), and so no `state` either.
  ///
  /// - Parameter subject: The person, as the ID Token named them; nil when there was none.
  package func logoutURL(clientID: String, subject: String?) -> String? {
    endSessionEndpoint?.uri.appendingQuery(
      [("client_id", clientID)] + (subject.map { [("logout_hint", $0)] } ?? []))
  }
}
