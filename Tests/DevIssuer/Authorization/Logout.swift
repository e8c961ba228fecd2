import Encoding
import JOSE

/// The logout endpoint (OpenID Connect RP-Initiated Logout 1.0).
extension DevelopmentIssuer {
  mutating func endSession(_ request: IssuerRequest) throws -> IssuerAnswer {
    do {
      let parameters = try request.parameters()
      let hint = try parameters["id_token_hint"].map(hintedClaims)
      let target = try logoutTarget(parameters, hint?.audience)
      let farewell =
        target.map { Self.redirection(to: $0.uri.appendingQuery($0.state.map { [("state", $0)] } ?? [])) }
        ?? Page.answer("<p>No user is signed in here now. You can close this page.</p>", title: "Signed out")
      guard let cookie = request.cookie(BrowserSession.cookieName), let session = sessions[cookie] else {
        return farewell
      }
      // Section 2: only an ID Token of the same user shows that the user wants this.
      let isConfirmed =
        request.method == "POST" && parameters["decision"] == "logout" ? try isOwnForm(request, parameters) : false
      guard isConfirmed || hint?.subject == IssuerGrant.subject(session.username) else {
        return try logoutPage(request, parameters, session, target)
      }
      count(.logouts)
      sessions[cookie] = nil
      var answer = farewell
      answer[header: "Set-Cookie"] = "\(BrowserSession.cookieName)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"
      return answer
    } catch let refusal as Refusal {
      return Page.refusal(refusal)
    }
  }

  /// Where the browser goes afterwards (section 3). The client must be the one that the ID Token was issued to (section 2).
  private func logoutTarget(_ parameters: IssuerParameters, _ audience: String?) throws -> RedirectTarget? {
    try check(
      audience == nil || parameters["client_id"] ?? audience == audience, "invalid_request",
      "client_id is not the one of id_token_hint")
    guard let text = parameters["post_logout_redirect_uri"] else { return nil }
    let id = try check(
      audience ?? parameters["client_id"], "invalid_request",
      "post_logout_redirect_uri needs id_token_hint or client_id")
    let uri = try client(id).redirect(text, "post_logout_redirect_uri")
    return RedirectTarget(uri: uri, state: parameters["state"])
  }

  /// Of an ID Token of ours, which may have expired (section 2).
  private func hintedClaims(_ text: String) throws -> (subject: String, audience: String) {
    guard let keys = try? JWKSet(parsing: JSON.object(["keys": [key.jwk]]).serialized()),
      let token = try? UnverifiedJWS(compact: Array(text.utf8).span).verified(by: keys, algorithms: [key.algorithm]),
      let claims = try? JWTClaims(payload: token.payload), try claims.issuer == url,
      let subject = try claims.subject, let audience = try claims.audience?.first
    else { throw Refusal("invalid_request", "id_token_hint is no ID Token of this issuer") }
    return (subject, audience)
  }

  private func logoutPage(
    _ request: IssuerRequest, _ parameters: IssuerParameters, _ session: BrowserSession, _ target: RedirectTarget?
  ) throws -> IssuerAnswer {
    let fields = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"].compactMap { name in
      parameters[name].map { "<input type=\"hidden\" name=\"\(name)\" value=\"\(Page.escaped($0))\">\n" }
    }
    return try formPage(
      request, to: "/end_session", title: "Sign out?", source: target?.policySource,
      before: "<p>You are signed in as <strong>\(Page.escaped(session.username))</strong>.</p>",
      fields.joined() + "<button type=\"submit\" id=\"logout\" name=\"decision\" value=\"logout\">Sign out</button>")
  }
}
