import Encoding
import Platform

extension AuthorizationServer {
  /// The device authorization endpoint (RFC 8628 sections 3.1 and 3.2).
  func authorizeDevice(_ request: Request) throws(OAuthFailure) -> Response {
    let parameters = try Parameters(form: request)
    let client = try authenticate(request, parameters)
    try client.requireGrantType(GrantType.deviceCode)
    let scope = try Self.scope(parameters) ?? .standard
    let targets = try targets(of: parameters)
    let deviceCode = try checked(OpaqueKey.random)
    let userCode = try checked(UserCode.random)
    let (now, wall) = (clock.now(), wallSeconds())

    let settings = withState { (state) -> Settings in
      state.count(.deviceAuthorizations)
      var grant = DeviceGrant(
        deviceCode: deviceCode, userCode: userCode, clientID: client.id, scope: scope,
        targets: targets,
        expiresAt: now.advanced(by: .seconds(state.settings.deviceCodeLifetime)),
        interval: .seconds(state.settings.interval))
      switch state.settings.approval {
      case .ask: break
      case .always: grant.decision = .approved(username: Self.demoUser, authTime: wall)
      case .never: grant.decision = .denied
      }
      state.devices.add(grant)
      return state.settings
    }
    return .json([
      "device_code": .string(deviceCode.text),
      "user_code": .string(userCode.text),
      "verification_uri": .string(issuer + "/device"),
      "verification_uri_complete": .string(issuer + "/device?user_code=" + userCode.text),
      "expires_in": .int(settings.deviceCodeLifetime),
      "interval": .int(settings.interval),
    ])
  }

  /// The `scope` parameter; nil when there is none.
  static func scope(_ parameters: Parameters) throws(OAuthFailure) -> ScopeSet? {
    guard let text = parameters["scope"] else { return nil }
    guard let scope = ScopeSet(text) else { throw OAuthFailure(.invalidScope, "malformed scope") }
    return scope
  }

  /// Approves or denies for a user.
  func decide(
    _ code: UserCode, approve: Bool, username: String
  ) throws(DeviceGrants.CodeProblem) -> DeviceGrant {
    let (now, wall) = (clock.now(), wallSeconds())
    return try withState { (state) throws(DeviceGrants.CodeProblem) -> DeviceGrant in
      let decision: DeviceGrant.Decision = approve ? .approved(username: username, authTime: wall) : .denied
      let grant = try state.devices.decide(code, decision, at: now)
      state.count(approve ? .approvals : .denials)
      return grant
    }
  }
}
