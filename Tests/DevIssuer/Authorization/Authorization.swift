import Encoding
import Platform

/// The authorization endpoint (RFC 6749 section 3.1) and pushed authorization requests (RFC 9126).
extension DevelopmentIssuer {
  private static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"
  /// Seconds.
  private static let pushedLifetime = 60
  private static let waitingLifetime = 600

  /// Starts an authorization: asks the user, or answers at once when a setting says so. Without a known client and a
  /// redirect URI of its own nothing is sent anywhere (RFC 6749 section 4.1.2.1).
  mutating func authorize(_ request: IssuerRequest) throws -> IssuerAnswer {
    count(.authorizations)
    var target: RedirectTarget?
    do {
      let parameters = try request.parameters()
      let client = try client(try parameters.required("client_id"))
      if let uri = parameters["request_uri"] {
        let wanted = try takePushed(uri, client)
        target = wanted.target
        return try begin(wanted, request)
      }
      target = try Self.target(of: parameters, client)
      let wanted = try codeRequest(parameters, client)
      try check(settings.pushedRequests != .required, "invalid_request", "a pushed authorization request is required")
      return try begin(wanted, request)
    } catch let refusal as Refusal {
      guard let target else { return Page.refusal(refusal) }
      return redirect(to: target, refusal)
    }
  }

  private func codeRequest(_ parameters: IssuerParameters, _ client: IssuerClient) throws -> CodeRequest {
    let target = try Self.target(of: parameters, client)
    return try CodeRequest(parameters, client, target, targets: try targets(of: parameters))
  }

  /// RFC 6749 sections 3.1.2 and 3.1.2.4.
  private static func target(of parameters: IssuerParameters, _ client: IssuerClient) throws -> RedirectTarget {
    let uri = try client.redirect(try parameters.required("redirect_uri"), "redirect_uri")
    return RedirectTarget(uri: uri, state: parameters["state"])
  }

  private mutating func begin(_ wanted: CodeRequest, _ request: IssuerRequest) throws -> IssuerAnswer {
    let suitable = session(of: request).flatMap { $0.suits(wanted, at: wall) ? $0 : nil }
    switch settings.approval {
    case .always: return try approve(wanted, suitable ?? signIn(for: wanted, wanted.validHint ?? Self.demoUser))
    case .never: throw Refusal("access_denied", "the user said no")
    case .ask where wanted.prompt.contains("none"):
      // OpenID Connect Core 1.0 section 3.1.2.6.
      guard let suitable else { throw Refusal("login_required", "no user is signed in as is asked") }
      return try approve(wanted, suitable)
    case .ask:
      let key = try Self.opaque()
      waiting[key] = Expiring(value: wanted, expiresAt: instant(after: Self.waitingLifetime))
      return try consentPage(request, wanted, key: key)
    }
  }

  // MARK: The user

  /// Takes the user's decision to the client.
  mutating func decideAuthorization(_ request: IssuerRequest) throws -> IssuerAnswer {
    guard let form = try? request.form(), try isOwnForm(request, form) else {
      return Page.refusal("This form was too old or came from elsewhere.", status: 403)
    }
    guard let key = form["request"], let wanted = waiting[key], wanted.expiresAt > now else {
      return Page.refusal("This request was decided already, or is too old.", status: 400)
    }
    let username = form["username"] ?? ""
    guard Self.isUsername(username) else {
      return try consentPage(request, wanted.value, key: key, problem: Page.wrongName)
    }
    guard let decision = form["decision"], ["approve", "deny"].contains(decision) else {
      return try consentPage(request, wanted.value, key: key, problem: "Please approve or deny.")
    }
    waiting[key] = nil
    count(decision == "approve" ? .approvals : .denials)
    guard decision == "approve" else {
      return redirect(to: wanted.value.target, Refusal("access_denied", "the user said no"))
    }
    if let session = session(of: request), session.username == username, session.suits(wanted.value, at: wall) {
      return try approve(wanted.value, session)
    }
    let (session, cookie) = (signIn(for: wanted.value, username), try Self.opaque())
    sessions[cookie] = session
    var answer = try approve(wanted.value, session)
    // Other sites may start an authorization, so the cookie comes with navigations from there, too.
    answer[header: "Set-Cookie"] = "\(BrowserSession.cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Lax"
    return answer
  }

  func session(of request: IssuerRequest) -> BrowserSession? {
    request.cookie(BrowserSession.cookieName).flatMap { sessions[$0] }
  }

  /// A new sign-in, which is as strong as the request wants.
  private func signIn(for wanted: CodeRequest, _ username: String) -> BrowserSession {
    let acr = wanted.acrValues.first(where: BrowserSession.contexts.contains) ?? BrowserSession.contexts[0]
    return BrowserSession(username: username, authTime: wall, acr: acr)
  }

  /// Names who asks, for what, and where the answer goes (RFC 8252 section 8.6, RFC 9700 section 4.11).
  private func consentPage(
    _ request: IssuerRequest, _ wanted: CodeRequest, key: String, problem: String? = nil
  ) throws -> IssuerAnswer {
    let username = wanted.loginHint ?? session(of: request)?.username ?? Self.demoUser
    return try formPage(
      request, to: "/authorize/decision", title: "Sign in", source: wanted.target.policySource, problem: problem,
      before: Page.asking(wanted.client, wanted.scope)
        + "<p class=\"note\">The answer goes to \(Page.escaped(wanted.target.uri.origin)).</p>",
      """
      <input type="hidden" name="request" value="\(key)">
      <label for="username">User name</label>
      <input id="username" name="username" value="\(Page.escaped(username))" autocomplete="off" autofocus>
      \(Page.decisionButtons)
      """)
  }

  // MARK: The answer

  /// Gives out a code (RFC 6749 section 4.1.2).
  private mutating func approve(_ wanted: CodeRequest, _ session: BrowserSession) throws -> IssuerAnswer {
    let code = try Self.opaque()
    codes[code] = IssuedCode(request: wanted, session: session, expiresAt: instant(after: settings.codeLifetime))
    lastCodes = (code, lastCodes.last)
    return redirect(to: wanted.target, [("code", code)])
  }

  /// RFC 6749 section 4.1.2.1.
  private func redirect(to target: RedirectTarget, _ refusal: Refusal) -> IssuerAnswer {
    redirect(to: target, [("error", refusal.code), ("error_description", refusal.description)])
  }

  /// Every answer names the issuer (RFC 9207 section 2).
  private func redirect(to target: RedirectTarget, _ pairs: [(String, String)]) -> IssuerAnswer {
    let state = target.state.map { [("state", $0)] } ?? []
    return Self.redirection(to: target.uri.appendingQuery(pairs + state + [("iss", url)]))
  }

  /// A browser that comes back with GET whatever it came with (RFC 9700 section 4.12).
  static func redirection(to location: String) -> IssuerAnswer {
    IssuerAnswer(
      status: 303,
      headers: [("Location", location), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")])
  }

  // MARK: Pushed requests

  /// The pushed authorization request endpoint (RFC 9126 section 2). All is checked as at the authorization endpoint
  /// (section 2.1).
  mutating func push(_ request: IssuerRequest) throws -> IssuerAnswer {
    let form = try request.form()
    let client = try authenticate(request, form)
    try check(form["request_uri"] == nil, "invalid_request", "request_uri does not belong here")
    try check(form.required("client_id") == client.id, "invalid_request", "client_id is another client's")
    // RFC 9449 section 10.1.
    let proof = try proof(atAuthorizationServer: request, isNeeded: false)
    guard form["dpop_jkt"] == nil || proof == nil || form["dpop_jkt"] == proof?.thumbprint else {
      count(.proofRefusals)
      throw Refusal("invalid_dpop_proof", "dpop_jkt is another key's")
    }
    var wanted = try codeRequest(form, client)
    wanted.dpopThumbprint = proof?.thumbprint ?? wanted.dpopThumbprint
    let key = try Self.opaque()
    count(.pushedRequests)
    pushed[key] = Expiring(value: wanted, expiresAt: instant(after: Self.pushedLifetime))
    var answer = IssuerAnswer.json(
      ["request_uri": .string(Self.requestURIPrefix + key), "expires_in": .int(Self.pushedLifetime)], status: 201)
    if proof != nil { try handOutNonce(with: &answer, .authorizationServer) }
    return answer
  }

  /// The request behind a `request_uri` (RFC 9126 section 4), which is good once and for its client only.
  private mutating func takePushed(_ uri: String, _ client: IssuerClient) throws -> CodeRequest {
    let key = String(uri.dropFirst(Self.requestURIPrefix.count))
    guard uri.hasPrefix(Self.requestURIPrefix), let found = pushed[key], found.value.client.id == client.id else {
      throw Refusal("invalid_request_uri", "unknown request_uri, or used already")
    }
    pushed[key] = nil
    try check(found.expiresAt > now, "invalid_request_uri", "the request_uri is too old")
    return found.value
  }
}
