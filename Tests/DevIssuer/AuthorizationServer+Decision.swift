import Crypto
import Encoding
import Platform

/// The page of the authorization endpoint and what comes back from it.
extension AuthorizationServer {
  /// Takes the user's decision to the client.
  func decideAuthorization(_ request: Request) throws(OAuthFailure) -> Response {
    guard let parameters = try? Parameters(form: request),
      try checked({ () throws(CryptoError) in try formGuard.accepts(request, token: parameters["csrf"]) })
    else {
      return refusalPage(status: 403, "This form was too old or came from elsewhere.")
    }
    let now = clock.now()
    guard let key = parameters["request"].flatMap(OpaqueKey.init(text:)),
      let waiting = withState({ $0.authorizations.request(key, at: now) })
    else {
      return refusalPage(status: 400, "This request was decided already, or is too old.")
    }
    let username = parameters["username"] ?? ""
    guard Self.isUsername(username) else {
      return try consentPage(
        request, waiting, key: key, problem: "A name has letters, digits and . _ - @ only, at most 64.")
    }
    guard let approves = Self.decision(parameters) else {
      return try consentPage(request, waiting, key: key, problem: "Please approve or deny.")
    }
    return try decide(key, approves, username: username, request, now)
  }

  private static func decision(_ parameters: Parameters) -> Bool? {
    switch parameters["decision"] {
    case "approve": true
    case "deny": false
    default: nil
    }
  }

  private func decide(
    _ key: OpaqueKey, _ approves: Bool, username: String, _ request: Request, _ now: Instant
  ) throws(OAuthFailure) -> Response {
    let taken = withState { (state) -> AuthorizationRequest? in
      let request = state.authorizations.take(key, at: now)
      if request != nil { state.count(approves ? .approvals : .denials) }
      return request
    }
    guard let taken else { return refusalPage(status: 400, "This request was decided already, or is too old.") }
    guard approves else { return redirect(to: taken.target, OAuthFailure(.accessDenied, "the user said no")) }
    if let session = session(of: request), session.username == username, session.suits(taken, at: wallSeconds()) {
      return try approve(taken, session)
    }
    let session = signIn(for: taken, username: username)
    var response = try approve(taken, session)
    try keep(session, in: &response)
    return response
  }

  /// Names who asks, for what, and where the answer goes (RFC 8252 section 8.6, RFC 9700 section 4.11).
  func consentPage(
    _ request: Request, _ wanted: AuthorizationRequest, key: OpaqueKey, problem: String? = nil
  ) throws(OAuthFailure) -> Response {
    let notice: Markup = problem.map { "<p role=\"alert\"><strong>\($0)</strong></p>" } ?? ""
    let username = wanted.loginHint ?? session(of: request)?.username ?? Self.demoUser
    let scopes = Markup.joined(wanted.scope.values.map { "<li>\($0)</li>" })
    return try sealed(request, path: "/authorize") { token in
      page.response(
        title: "Sign in", formTarget: wanted.target.policySource,
        """
        \(notice)
        <p><strong>\(wanted.clientName)</strong> (\(wanted.clientID)) asks for access:</p>
        <ul>\(scopes)</ul>
        <p class="note">The answer goes to \(wanted.target.uri.origin).</p>
        <form method="post" action="/authorize/decision">
        <input type="hidden" name="csrf" value="\(token)">
        <input type="hidden" name="request" value="\(key.text)">
        <label for="username">User name</label>
        <input id="username" name="username" value="\(username)" autocomplete="off" autofocus>
        <button type="submit" id="approve" name="decision" value="approve">Approve</button>
        <button type="submit" id="deny" name="decision" value="deny">Deny</button>
        </form>
        """)
    }
  }

  /// What the user sees when the answer can go nowhere.
  func refusalPage(_ failure: OAuthFailure) -> Response {
    refusalPage(status: failure.response.status, "\(failure.code.rawValue): \(failure.description)")
  }

  func refusalPage(status: Int, _ text: String) -> Response {
    page.response(
      status: status, title: "This cannot be done", "<p role=\"alert\">\(text)</p><p>Start again in your program.</p>")
  }

  /// A page with a form that no other site can send (RFC 6749 section 10.12).
  func sealed(
    _ request: Request, path: String, _ content: (String) -> Response
  ) throws(OAuthFailure) -> Response {
    let seal = try checked { () throws(CryptoError) in try formGuard.seal(for: request, path: path) }
    var response = content(seal.token)
    if let cookie = seal.newCookie { response.headers.append(("Set-Cookie", cookie)) }
    return response
  }
}
