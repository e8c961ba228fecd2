import Crypto
import Encoding
import JOSE

/// The logout endpoint (OpenID Connect RP-Initiated Logout 1.0).
extension AuthorizationServer {
  /// What a client wants when it sends the user here (section 2).
  private struct Wish {
    /// Of the ID Token in `id_token_hint`.
    let subject: String?
    /// Where the browser goes afterwards (section 3).
    let target: RedirectTarget?
  }

  func endSession(_ request: Request) throws(OAuthFailure) -> Response {
    do throws(OAuthFailure) {
      let parameters = request.method == .post ? try Parameters(form: request) : try Parameters(query: request)
      let wish = try wish(of: parameters)
      guard let key = request.cookie(BrowserSession.cookieName), let session = withState({ $0.sessions[key] }) else {
        return farewell(wish)
      }
      // Section 2: only an ID Token of the same user shows that the user wants this.
      let isConfirmed = try isConfirmed(request, parameters)
      guard isConfirmed || wish.subject == Grant.subject(session.username) else {
        return try logoutPage(request, parameters, username: session.username)
      }
      count(.logouts)
      var response = farewell(wish)
      end(key, in: &response)
      return response
    } catch {
      return refusalPage(error)
    }
  }

  private func isConfirmed(_ request: Request, _ parameters: Parameters) throws(OAuthFailure) -> Bool {
    guard request.method == .post, parameters["decision"] == "logout" else { return false }
    return try checked { () throws(CryptoError) in try formGuard.accepts(request, token: parameters["csrf"]) }
  }

  private func wish(of parameters: Parameters) throws(OAuthFailure) -> Wish {
    let hint = try parameters["id_token_hint"].map(hintedClaims)
    let clientID = try client(of: hint, parameters)
    guard let text = parameters["post_logout_redirect_uri"] else { return Wish(subject: hint?.subject, target: nil) }
    guard let clientID else {
      throw OAuthFailure(.invalidRequest, "post_logout_redirect_uri needs id_token_hint or client_id")
    }
    let client = try client(clientID)
    guard let uri = try? URI(text), uri.fragment == nil, client.redirects.contains(where: { $0.allows(uri) }) else {
      throw OAuthFailure(.invalidRequest, "post_logout_redirect_uri is not registered for this client")
    }
    return Wish(subject: hint?.subject, target: RedirectTarget(uri: uri, state: parameters["state"]))
  }

  /// Section 2: the identifier must be the one that the ID Token was issued to.
  private func client(
    of hint: (subject: String, audience: String)?, _ parameters: Parameters
  ) throws(OAuthFailure) -> String? {
    guard let hint else { return parameters["client_id"] }
    guard parameters["client_id"].map({ $0 == hint.audience }) ?? true else {
      throw OAuthFailure(.invalidRequest, "client_id is not the one of id_token_hint")
    }
    return hint.audience
  }

  /// Of an ID Token of ours, which may have expired (section 2).
  private func hintedClaims(_ text: String) throws(OAuthFailure) -> (subject: String, audience: String) {
    let key = withState { $0.key }
    let bytes = Array(text.utf8)
    do throws(JOSEError) {
      let keys = try JWKSet(parsing: JSON.object(["keys": [key.jwk]]).serialized())
      let token = try UnverifiedJWS(compact: bytes.span).verified(by: keys, algorithms: [key.algorithm])
      let claims = try JWTClaims(payload: token.payload)
      guard try claims.issuer == issuer, let subject = try claims.subject, let audience = try claims.audience?.first
      else { throw JOSEError(.invalidClaim) }
      return (subject, audience)
    } catch {
      throw OAuthFailure(.invalidRequest, "id_token_hint is no ID Token of this issuer")
    }
  }

  private func farewell(_ wish: Wish) -> Response {
    guard let target = wish.target else {
      return page.response(title: "Signed out", "<p>Nobody is signed in here now. You can close this page.</p>")
    }
    return redirection(to: target.uri.appendingQuery(target.state.map { [("state", $0)] } ?? []))
  }

  private func logoutPage(
    _ request: Request, _ parameters: Parameters, username: String
  ) throws(OAuthFailure) -> Response {
    let names = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"]
    let fields = Markup.joined(
      names.compactMap { name -> Markup? in
        parameters[name].map { "<input type=\"hidden\" name=\"\(name)\" value=\"\($0)\">" }
      })
    let target = parameters["post_logout_redirect_uri"].flatMap { try? URI($0) }
    return try sealed(request, path: "/end_session") { token in
      page.response(
        title: "Sign out?", formTarget: target.map { RedirectTarget(uri: $0, state: nil).policySource },
        """
        <p>You are signed in as <strong>\(username)</strong>.</p>
        <form method="post" action="/end_session">
        <input type="hidden" name="csrf" value="\(token)">
        \(fields)
        <button type="submit" id="logout" name="decision" value="logout">Sign out</button>
        </form>
        """)
    }
  }
}
