/// Who is signed in here, as browsers show it by a cookie.
extension AuthorizationServer {
  func session(of request: Request) -> BrowserSession? {
    guard let key = request.cookie(BrowserSession.cookieName) else { return nil }
    return withState { $0.sessions[key] }
  }

  /// A new sign-in, which is as strong as the request wants.
  func signIn(for wanted: AuthorizationRequest, username: String) -> BrowserSession {
    let acr = wanted.acrValues.first(where: BrowserSession.contexts.contains) ?? BrowserSession.contexts[0]
    return BrowserSession(username: username, authTime: wallSeconds(), acr: acr)
  }

  /// Lets the browser keep the sign-in. Other sites may start an authorization, so the cookie comes
  /// with navigations from there, too.
  func keep(_ session: BrowserSession, in response: inout Response) throws(OAuthFailure) {
    let key = try checked(OpaqueKey.random)
    withState { $0.sessions[key] = session }
    response.headers.append(
      ("Set-Cookie", "\(BrowserSession.cookieName)=\(key.text); Path=/; HttpOnly; SameSite=Lax"))
  }

  func end(_ key: OpaqueKey, in response: inout Response) {
    withState { $0.sessions[key] = nil }
    response.headers.append(
      ("Set-Cookie", "\(BrowserSession.cookieName)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"))
  }
}
