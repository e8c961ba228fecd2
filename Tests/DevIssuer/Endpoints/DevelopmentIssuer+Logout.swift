import Encoding

/// The logout endpoint (OpenID Connect RP-Initiated Logout 1.0).
extension DevelopmentIssuer {
  mutating func endSession(_ request: IssuerRequest) throws -> IssuerAnswer {
    do {
      let parameters = try request.parameters()
      // One that has expired, too (section 2).
      let hint = try parameters["id_token_hint"].map {
        try check(idTokenClaims($0), "invalid_request", "id_token_hint is no ID Token of this issuer")
      }
      let target = try logoutTarget(parameters, hint?.audience)
      let farewell = Page(title: "Signed out", lines: ["No user is signed in here now. You can close this page."])
      var answer = target?.answer() ?? farewell.answer
      let cookie = request.cookie(BrowserSession.cookieName) ?? ""
      guard let session = signIns.sessions[cookie] else { return answer }
      // Section 2: only an ID Token of the same user shows that the user wants this.
      let isPressed = request.method == "POST" && parameters["decision"] == "logout"
      let isConfirmed = try isPressed && isOwnForm(request, parameters)
      guard isConfirmed || hint?.subject == User.subject(session.username) else {
        return try logoutPage(request, parameters, session, target)
      }
      count(.logouts)
      signIns.sessions[cookie] = nil
      answer[header: "Set-Cookie"] = "\(BrowserSession.cookieName)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"
      return answer
    } catch let refusal as Refusal {
      return Page.refusal(refusal)
    }
  }

  /// Where the browser goes afterwards (section 3). The client must be the one that the ID Token was issued to (section 2).
  private func logoutTarget(_ parameters: IssuerParameters, _ audience: String?) throws -> RedirectTarget? {
    let id = parameters["client_id"] ?? audience
    try check(audience ?? id == id, "invalid_request", "client_id is not the one of id_token_hint")
    guard let text = parameters["post_logout_redirect_uri"] else { return nil }
    let client = try clients.named(
      try check(id, "invalid_request", "post_logout_redirect_uri needs id_token_hint or client_id"))
    return RedirectTarget(uri: try client.redirect(text, "post_logout_redirect_uri"), state: parameters["state"])
  }

  private func logoutPage(
    _ request: IssuerRequest, _ parameters: IssuerParameters, _ session: BrowserSession, _ target: RedirectTarget?
  ) throws -> IssuerAnswer {
    let names = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"]
    let page = Page(
      title: "Sign out?", lines: ["You are signed in as \(session.username)."], action: "/end_session",
      source: target?.uri.policySource, hidden: names.compactMap { name in parameters[name].map { (name, $0) } },
      buttons: [("logout", "Sign out")])
    return try show(page, request)
  }
}
