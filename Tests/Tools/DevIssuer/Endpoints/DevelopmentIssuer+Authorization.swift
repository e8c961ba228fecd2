import Encoding
import Platform

/// The authorization endpoint (RFC 6749 section 3.1) and pushed authorization requests (RFC 9126).
extension DevelopmentIssuer {
  private static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"
  /// In seconds.
  private static let pushedLifetime = 60
  /// How long the user may take to decide, in seconds.
  private static let waitingLifetime = 600

  /// Asks the user, or responds immediately if the settings say so. Redirects errors only to a known client's
  /// redirect URI (RFC 6749 section 4.1.2.1).
  mutating func authorize(_ request: IssuerRequest) throws -> IssuerAnswer {
    var target: RedirectTarget?
    do {
      let parameters = try request.parameters()
      let client = try clients.named(try parameters.required("client_id"))
      let pushed = try parameters["request_uri"].map { try takePushed($0, client) }
      target = try pushed?.target ?? Self.target(of: parameters, client)
      let wanted = try pushed ?? codeRequest(parameters, client)
      let isMissing = pushed == nil && settings.text("par") == "required"
      try check(!isMissing, "invalid_request", "a pushed authorization request is required")
      return try begin(wanted, request)
    } catch let refusal as Refusal {
      guard let target else { throw refusal }
      return redirect(to: target, refusal)
    }
  }

  private func codeRequest(_ parameters: IssuerParameters, _ client: IssuerClient) throws -> CodeRequest {
    try CodeRequest(
      parameters, client, try Self.target(of: parameters, client), targets: try targets(of: parameters),
      until: instant(after: Self.waitingLifetime))
  }

  /// The redirect URI and state (RFC 6749 sections 3.1.2 and 3.1.2.4).
  private static func target(of parameters: IssuerParameters, _ client: IssuerClient) throws -> RedirectTarget {
    let uri = try client.redirect(try parameters.required("redirect_uri"), "redirect_uri")
    return RedirectTarget(uri: uri, state: parameters["state"])
  }

  private mutating func begin(_ wanted: CodeRequest, _ request: IssuerRequest) throws -> IssuerAnswer {
    let suitable = session(of: request).flatMap { $0.suits(wanted, at: wall) ? $0 : nil }
    switch settings.text("approval") {
    case "always": return try approve(wanted, suitable ?? signIn(for: wanted, wanted.validHint ?? User.demo))
    case "never": throw Self.denial
    default:
      if wanted.prompt.contains("none") {
        // OpenID Connect Core section 3.1.2.6.
        return try approve(wanted, try check(suitable, "login_required", "no user is signed in as is asked"))
      }
      return try consentPage(request, wanted, key: try state.waiting.add(wanted))
    }
  }

  static let denial = Refusal("access_denied", "the user said no")

  // MARK: The user

  mutating func decideAuthorization(_ request: IssuerRequest) throws -> IssuerAnswer {
    guard let form = try ownForm(of: request) else {
      throw Refusal("invalid_request", "this form was too old or came from elsewhere", status: 403)
    }
    guard let key = form["request"], let wanted = state.waiting[key], wanted.expiresAt > now else {
      throw Refusal("invalid_request", "this request was decided already, or is too old")
    }
    let username = form["username"] ?? ""
    guard User.isName(username) else { return try consentPage(request, wanted, key: key, problem: Page.wrongName) }
    guard let decision = form["decision"], ["approve", "deny"].contains(decision) else {
      return try consentPage(request, wanted, key: key, problem: "Please approve or deny.")
    }
    state.waiting[key] = nil
    count(decision == "approve" ? .approvals : .denials)
    guard decision == "approve" else { return redirect(to: wanted.target, Self.denial) }
    if let session = session(of: request), session.username == username, session.suits(wanted, at: wall) {
      return try approve(wanted, session)
    }
    let session = signIn(for: wanted, username)
    let cookie = try state.sessions.add(session)
    // Navigations from other sites may start an authorization, so they include the cookie too.
    return try approve(wanted, session)
      .with("Set-Cookie", "\(BrowserSession.cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Lax")
  }

  private func session(of request: IssuerRequest) -> BrowserSession? {
    request.cookie(BrowserSession.cookieName).flatMap { state.sessions[$0] }
  }

  /// Creates a session with the requested strength of authentication.
  private func signIn(for wanted: CodeRequest, _ username: String) -> BrowserSession {
    let acr = wanted.acrValues.first(where: User.contexts.contains) ?? User.contexts[0]
    return BrowserSession(username: username, authTime: wall, acr: acr)
  }

  /// Shows client, scope and redirect target (RFC 8252 section 8.6, RFC 9700 section 4.11).
  private func consentPage(
    _ request: IssuerRequest, _ wanted: CodeRequest, key: String, problem: String? = nil
  ) throws -> IssuerAnswer {
    let username = wanted.parameters["login_hint"] ?? session(of: request)?.username ?? User.demo
    let lines = [wanted.client.asking, "The answer goes to \(wanted.target.uri.origin)."]
    let page = Page(
      title: "Sign in", problem: problem, lines: lines, items: wanted.scope, action: "/authorize/decision",
      source: wanted.target.uri.policySource, hidden: [("request", key)],
      inputs: [("username", "User name", username)], buttons: Page.decisions)
    return try show(page, request)
  }

  // MARK: The answer

  /// Issues a code (RFC 6749 section 4.1.2).
  private mutating func approve(_ wanted: CodeRequest, _ session: BrowserSession) throws -> IssuerAnswer {
    let grant = IssuerGrant(
      clientID: wanted.client.id, username: session.username, scope: wanted.scope, authTime: session.authTime,
      acr: session.acr, targets: wanted.targets)
    let expiresAt = instant(after: settings.number("code_lifetime"))
    let code = try state.codes.add(IssuedCode(request: wanted, grant: grant, expiresAt: expiresAt))
    return wanted.target.answer([("code", code), ("iss", url)])
  }

  /// Redirects with an error (RFC 6749 section 4.1.2.1) and the issuer (RFC 9207 section 2).
  private func redirect(to target: RedirectTarget, _ refusal: Refusal) -> IssuerAnswer {
    target.answer([("error", refusal.code), ("error_description", refusal.description), ("iss", url)])
  }

  // MARK: Pushed requests

  /// The pushed authorization request endpoint (RFC 9126 section 2).
  mutating func push(_ request: IssuerRequest) throws -> IssuerAnswer {
    let (form, client) = try authenticated(request)
    try check(form["request_uri"] == nil, "invalid_request", "request_uri does not belong here")
    try check(form.required("client_id") == client.id, "invalid_request", "client_id is another client's")
    // RFC 9449 section 10.1.
    let proof = try proof(of: request, .authorizationServer, thumbprint: form["dpop_jkt"])
    var wanted = try codeRequest(form, client)
    wanted.dpopThumbprint = proof?.thumbprint ?? wanted.dpopThumbprint
    wanted.expiresAt = instant(after: Self.pushedLifetime)
    let uri = Self.requestURIPrefix + (try state.pushed.add(wanted))
    count(.pushedRequests)
    return .json(["request_uri": .string(uri), "expires_in": .int(Self.pushedLifetime)], status: 201)
  }

  /// Removes and returns a pushed request (RFC 9126 section 4). Its `request_uri` is valid once, for its client only.
  private mutating func takePushed(_ uri: String, _ client: IssuerClient) throws -> CodeRequest {
    let key = String(uri.dropFirst(Self.requestURIPrefix.count))
    guard uri.hasPrefix(Self.requestURIPrefix), var found = state.pushed[key], found.client.id == client.id else {
      throw Refusal("invalid_request_uri", "unknown request_uri, or used already")
    }
    state.pushed[key] = nil
    try check(found.expiresAt > now, "invalid_request_uri", "the request_uri is too old")
    found.expiresAt = instant(after: Self.waitingLifetime)
    return found
  }
}

/// Protects forms against other sites (RFC 6749 section 10.12, RFC 8628 section 5.4): the form contains a keyed hash
/// of the browser's random cookie.
extension DevelopmentIssuer {
  private static let formCookie = "devissuer"

  func show(_ page: Page, _ request: IssuerRequest) throws -> IssuerAnswer {
    let known = request.cookie(Self.formCookie)
    let cookie = try known ?? Seal.opaque()
    var page = page
    page.hidden.append(("csrf", try seal("form", cookie)))
    let field = "\(Self.formCookie)=\(cookie); Path=/; HttpOnly; SameSite=Strict"
    return known == nil ? page.answer.with("Set-Cookie", field) : page.answer
  }

  /// The submitted form; nil if its page is not from this issuer.
  func ownForm(of request: IssuerRequest) throws -> IssuerParameters? {
    guard let form = try? request.form(), let found = form["csrf"], let cookie = request.cookie(Self.formCookie),
      Seal.isSame(try seal("form", cookie), found)
    else { return nil }
    return form
  }
}

/// The logout endpoint (OpenID Connect RP-Initiated Logout 1.0).
extension DevelopmentIssuer {
  mutating func endSession(_ request: IssuerRequest) throws -> IssuerAnswer {
    let parameters = try request.parameters()
    // An expired ID Token is accepted too (section 2).
    let hint = try parameters["id_token_hint"].map {
      try check(idTokenClaims($0), "invalid_request", "id_token_hint is no ID Token of this issuer")
    }
    let target = try logoutTarget(parameters, hint?.audience)
    let farewell = Page(title: "Signed out", lines: ["No user is signed in here now. You can close this page."])
    let answer = target?.answer() ?? farewell.answer
    let cookie = request.cookie(BrowserSession.cookieName) ?? ""
    guard let session = state.sessions[cookie] else { return answer }
    // Only an ID Token of the same user proves the user's consent (section 2).
    let isConfirmed = try request.method == "POST" && ownForm(of: request)?["decision"] == "logout"
    guard isConfirmed || hint?.subject == User.subject(session.username) else {
      let names = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"]
      let page = Page(
        title: "Sign out?", lines: ["You are signed in as \(session.username)."], action: "/end_session",
        source: target?.uri.policySource, hidden: names.compactMap { name in parameters[name].map { (name, $0) } },
        buttons: [("logout", "Sign out")])
      return try show(page, request)
    }
    count(.logouts)
    state.sessions[cookie] = nil
    return answer.with(
      "Set-Cookie", "\(BrowserSession.cookieName)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
  }

  /// The redirect target after logout (section 3). The client must be the ID Token's (section 2).
  private func logoutTarget(_ parameters: IssuerParameters, _ audience: String?) throws -> RedirectTarget? {
    let id = parameters["client_id"] ?? audience
    try check(audience ?? id == id, "invalid_request", "client_id is not the one of id_token_hint")
    guard let text = parameters["post_logout_redirect_uri"] else { return nil }
    let client = try clients.named(
      try check(id, "invalid_request", "post_logout_redirect_uri needs id_token_hint or client_id"))
    return RedirectTarget(uri: try client.redirect(text, "post_logout_redirect_uri"), state: parameters["state"])
  }
}
