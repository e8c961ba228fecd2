import Encoding

extension DevelopmentIssuer {
  /// An endpoint's paths and function. `methods` are those of the Allow field (RFC 9110 section 10.2.1), or empty for
  /// any; `name` is the endpoint's metadata member.
  typealias Route = (
    endpoint: IssuerEndpoint, methods: String, paths: [String], name: String?, counter: IssuerCounter?,
    answer: @Sendable (inout DevelopmentIssuer, IssuerRequest) throws -> IssuerAnswer
  )

  /// Followed by the client ID.
  static let clientPrefix = "/register/"
  /// RFC 9728 section 3.1.
  static let resourcePrefix = "/.well-known/oauth-protected-resource"

  static let routes: [Route] = [
    // OpenID Connect Discovery 1.0 section 4 and RFC 8414 section 3, for an issuer without a path.
    (
      .metadata, "GET", ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"], nil,
      .metadata,
      { issuer, _ in issuer.metadata() }
    ),
    (.jwks, "GET", ["/jwks"], "jwks_uri", .jwks, { issuer, _ in issuer.jwks() }),
    (.authorization, "GET, POST", ["/authorize"], "authorization_endpoint", .authorizations, { try $0.authorize($1) }),
    (.decision, "POST", ["/authorize/decision"], nil, nil, { try $0.decideAuthorization($1) }),
    (.par, "POST", ["/par"], "pushed_authorization_request_endpoint", nil, { try $0.push($1) }),
    (.logout, "GET, POST", ["/end_session"], "end_session_endpoint", nil, { try $0.endSession($1) }),
    (.registration, "POST", ["/register"], "registration_endpoint", nil, { try $0.register($1) }),
    (.client, "GET, PUT, DELETE", [clientPrefix], nil, nil, { try $0.manageClient($1) }),
    (.device, "POST", ["/device_authorization"], "device_authorization_endpoint", nil, { try $0.authorizeDevice($1) }),
    (.verification, "GET, POST", ["/device"], nil, nil, { try $0.verification($1) }),
    (.token, "POST", ["/token"], "token_endpoint", nil, { try $0.token($1) }),
    (.userinfo, "GET, POST", ["/userinfo"], "userinfo_endpoint", .userinfo, { try $0.userInfo($1) }),
    (.revocation, "POST", ["/revoke"], "revocation_endpoint", nil, { try $0.revoke($1) }),
    (.introspection, "POST", ["/introspect"], "introspection_endpoint", nil, { try $0.introspect($1) }),
    (.resource, "GET", ["/resource"], nil, .resource, { try $0.resource($1) }),
    (
      .resourceMetadata, "GET", ["", "/resource", "/echo"].map { resourcePrefix + $0 }, nil, .resourceMetadata,
      { $0.resourceMetadata($1) }
    ),
    (.echo, "", ["/echo"], nil, .echoes, { try $0.echo($1) }),
    (.redirect, "", ["/redirect"], nil, .redirects, { $0.redirectElsewhere($1) }),
    (.job, "GET", ["/job_token"], nil, nil, { try $0.jobAssertion($1) }),
    (.control, "GET, POST", ["/control"], nil, nil, { try $0.control($1) }),
  ]

  static func route(_ path: String) -> Route? {
    routes.first { $0.paths.contains(path) || ($0.endpoint == .client && path.hasPrefix(clientPrefix)) }
  }

  func isOffered(_ endpoint: IssuerEndpoint) -> Bool {
    switch endpoint {
    case .control: settings.isOn("--control")
    case .job: settings.text("--job-token") != nil
    case .par: settings.text("par") != "off"
    case .registration, .client: settings.isOn("open_registration")
    default: true
    }
  }
}

/// Raw values are the endpoints' names in options and at the control endpoint.
enum IssuerEndpoint: String, Sendable, CaseIterable {
  case metadata, jwks, authorization, decision, par, logout, registration, client, device, verification, token, userinfo
  case revocation, introspection, resource
  case resourceMetadata = "resource_metadata"
  case echo, redirect, job, control

  /// The endpoints that can fail, delay and misbehave.
  static let faulty = allCases.filter { $0 != .control }
}

/// Counters, whose names in snake case are members of the control endpoint's response.
enum IssuerCounter: Sendable, CaseIterable {
  case requests, connections, metadata, jwks, authorizations, pushedRequests, registrations, deletions, codeGrants
  case codeReplays, deviceAuthorizations, devicePolls, slowDowns, deviceGrants, approvals, denials, refreshes
  case refreshFailures, reuseDetected, clientFailures, clientGrants, exchanges, clientAssertions, revocations, logouts
  case assertionGrants, assertionFailures, identityAssertions, jobAssertions
  case introspections, userinfo, resource, resourceMetadata, echoes, redirects, proofs, proofRefusals, proofReplays
  case clientDocuments, misbehaviours, hangs

  var name: String { "\(self)".map { $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined() }
}

/// Switches and counters for tests. Reveals no tokens or codes.
extension DevelopmentIssuer {
  typealias Action = @Sendable (inout DevelopmentIssuer, String) throws -> Bool

  /// Run after the same request's settings have been applied. They return false for an invalid value.
  static let controlActions: [(name: String, run: Action)] = [
    ("approve", { (try? $0.decide($1, approves: true, $0.settings.text("username") ?? "")) != nil }),
    ("deny", { (try? $0.decide($1, approves: false, $0.settings.text("username") ?? "")) != nil }),
    ("revoke_all", ifOn { $0.state = IssuerState() }),
    ("rotate_key", ifOn { $0.key = try IssuerKey($0.key.algorithm) }),
    ("replace_dpop_nonces", ifOn { try $0.replaceNonces() }),
  ]

  private static func ifOn(_ act: @escaping @Sendable (inout DevelopmentIssuer) throws -> Void) -> Action {
    { issuer, value in
      if value == "1" || value == "on" { try act(&issuer) }
      return ["1", "on", "0", "off"].contains(value)
    }
  }

  /// Changes settings and returns the counters.
  mutating func control(_ request: IssuerRequest) throws -> IssuerAnswer {
    // Rejects browsers, since any site could send a form here (RFC 6454 section 7).
    guard request.values(of: "origin").isEmpty else { return .text("Not for browsers.", status: 403) }
    if request.method == "POST" {
      // An invalid request changes nothing.
      var changed = self
      try changed.carryOut(try request.form())
      self = changed
    }
    return .json(JSONObject(IssuerCounter.allCases.map { ($0.name, .int(counts[$0] ?? 0)) }))
  }

  private mutating func carryOut(_ form: IssuerParameters) throws {
    let known = IssuerSetting.all.compactMap(\.parameter) + Self.controlActions.map(\.name)
    if let unknown = form.names.first(where: { !known.contains($0) }) {
      throw Refusal("invalid_request", "unknown parameter \(unknown)")
    }
    try check(form["times"] == nil || form["body"] != nil, "invalid_request", "times goes with body")
    for name in ["status", "error", "retry_after", "username"] { settings.reset(name) }
    for row in IssuerSetting.all {
      guard let name = row.parameter, let value = form[name] else { continue }
      try check(row.set(&settings, value), "invalid_request", "wrong value of \(name)")
    }
    for action in Self.controlActions {
      guard let value = form[action.name] else { continue }
      try check(action.run(&self, value), "invalid_request", "wrong value of \(action.name)")
    }
  }
}
