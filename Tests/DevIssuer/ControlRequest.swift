import Encoding

/// One POST to the control endpoint, read as a whole before anything of it is done.
struct ControlRequest: Sendable, Hashable {
  /// A decision about a device authorization.
  struct Decision: Sendable, Hashable {
    let code: UserCode
    let approve: Bool
    let username: String
  }

  /// What a request may have, beside the planned failures of endpoints.
  static let parameterNames: Set<String> = [
    // Numbers.
    "delay_token_ms", "interval", "access_token_lifetime", "refresh_token_lifetime", "device_code_lifetime",
    "code_lifetime", "reuse_leeway", "clock_offset",
    // Decisions.
    "approve", "deny", "username", "approval",
    // What is offered.
    "par", "open_registration", "rotation",
    // Proofs of possession.
    "dpop_required", "dpop_nonce", "dpop_nonce_rotation", "dpop_window", "break_dpop", "replace_dpop_nonces",
    // Protected resources.
    "require_scope", "require_acr", "require_max_age", "require_dpop", "refuse_next", "redirect_to",
    // Faults.
    "break_id_token", "break_metadata", "break_authorization", "break_par", "break_registration", "break_resource",
    "break_jwks", "break_userinfo",
    "hang", "status", "error", "retry_after", "body", "body_at", "times",
    // What happens at once.
    "revoke_all", "rotate_key",
  ]
  static let failurePrefix = "fail_next_"
  /// Turns a switch off.
  private static let off = "off"

  let settings: Settings
  var decision: Decision?
  var revokesAll = false
  var rotatesKey = false
  /// No nonce that was handed out is taken any more.
  var replacesNonces = false

  /// - Parameter current: The settings that the parameters change.
  /// - Throws: `invalid_request` naming the parameter that is unknown or has a wrong value.
  init(_ parameters: Parameters, current: Settings) throws(OAuthFailure) {
    for name in parameters.names
    where !Self.parameterNames.contains(name) && Self.failureTarget(name) == nil {
      throw OAuthFailure(.invalidRequest, "unknown parameter \(name)")
    }
    let reader = Reader(parameters: parameters)
    var settings = current
    try Self.readNumbers(reader, &settings)
    try Self.readSwitches(reader, &settings)
    try Self.readProofRules(reader, &settings.dpop)
    try Self.readFailures(reader, parameters.names, &settings)
    self.settings = settings
    decision = try Self.decision(reader)
    revokesAll = try reader.flag("revoke_all") ?? false
    rotatesKey = try reader.flag("rotate_key") ?? false
    replacesNonces = try reader.flag("replace_dpop_nonces") ?? false
  }

  private static func readNumbers(_ reader: Reader, _ settings: inout Settings) throws(OAuthFailure) {
    try reader.number("delay_token_ms", in: Settings.delayRange, into: &settings.tokenDelayMilliseconds)
    try reader.number("interval", in: Settings.intervalRange, into: &settings.interval)
    try reader.number("access_token_lifetime", in: Settings.accessRange, into: &settings.accessTokenLifetime)
    try reader.number("refresh_token_lifetime", in: Settings.refreshRange, into: &settings.refreshTokenLifetime)
    try reader.number("device_code_lifetime", in: Settings.deviceRange, into: &settings.deviceCodeLifetime)
    try reader.number("code_lifetime", in: Settings.codeRange, into: &settings.codeLifetime)
    try reader.number("reuse_leeway", in: 0...3600, into: &settings.reuseLeeway)
    if let text = reader["clock_offset"] {
      let isNegative = text.hasPrefix("-")
      guard let size = ASCII.number(isNegative ? String(text.dropFirst()) : text, in: 0...315_360_000) else {
        throw Reader.wrong("clock_offset")
      }
      settings.clockOffset = isNegative ? -size : size
    }
  }

  private static func readSwitches(_ reader: Reader, _ settings: inout Settings) throws(OAuthFailure) {
    try reader.choice("hang", into: &settings.hangs)
    guard settings.hangs != .control else { throw Reader.wrong("hang") }
    try reader.choice("break_id_token", into: &settings.idTokenFault)
    try reader.choice("break_jwks", into: &settings.keySetFault)
    try reader.choice("break_userinfo", into: &settings.userInfoFault)
    try reader.choice("break_metadata", into: &settings.metadataFault)
    try reader.choice("break_authorization", into: &settings.authorizationFault)
    try readResource(reader, &settings)
    try reader.choice("break_registration", into: &settings.registrationFault)
    try reader.choice("break_par", into: &settings.pushedRequestFault)
    try readBodyFault(reader, &settings)
    if let text = reader["approval"] {
      guard let approval = Settings.Approval(rawValue: text) else { throw Reader.wrong("approval") }
      settings.approval = approval
    }
    if let text = reader["par"] {
      guard let choice = Settings.PushedRequests(rawValue: text) else { throw Reader.wrong("par") }
      settings.pushedRequests = choice
    }
    if let opens = try reader.flag("open_registration") { settings.opensRegistration = opens }
    if let rotates = try reader.flag("rotation") { settings.rotatesRefreshTokens = rotates }
  }

  /// What the protected resources do.
  private static func readResource(_ reader: Reader, _ settings: inout Settings) throws(OAuthFailure) {
    try reader.choice("break_resource", into: &settings.resourceFault)
    try reader.number("refuse_next", in: 0...1_000_000, into: &settings.refusals)
    if let text = reader["require_scope"] {
      guard text == off || ScopeSet(text)?.values.count == 1 else { throw Reader.wrong("require_scope") }
      settings.resourceRules.scope = text == off ? nil : text
    }
    if let text = reader["require_acr"] {
      guard text == off || BrowserSession.contexts.contains(text) else { throw Reader.wrong("require_acr") }
      settings.resourceRules.acr = text == off ? nil : text
    }
    if reader["require_max_age"] == off {
      settings.resourceRules.maxAge = nil
    } else if let seconds = try reader.number("require_max_age", in: 0...Int.max) {
      settings.resourceRules.maxAge = seconds
    }
    if let wants = try reader.flag("require_dpop") { settings.resourceRules.wantsBoundTokens = wants }
    if let text = reader["redirect_to"] {
      guard (try? URI(text)) != nil else { throw Reader.wrong("redirect_to") }
      settings.redirectTarget = text
    }
  }

  private static func readBodyFault(_ reader: Reader, _ settings: inout Settings) throws(OAuthFailure) {
    if let text = reader["body_at"] {
      guard let endpoint = Endpoint(rawValue: text), endpoint != .control else { throw Reader.wrong("body_at") }
      settings.bodyFaultEndpoint = endpoint
    }
    if reader["body"] != nil {
      try reader.choice("body", into: &settings.bodyFault)
      settings.bodyFaultsLeft = try reader.number("times", in: 1...1_000_000)
    } else if reader["times"] != nil {
      throw OAuthFailure(.invalidRequest, "times goes with body")
    }
  }

  private static func readProofRules(_ reader: Reader, _ rules: inout DPoPRules) throws(OAuthFailure) {
    if let value = try reader.flag("dpop_required") { rules.isRequired = value }
    if let value = try reader.flag("dpop_nonce") { rules.wantsNonce = value }
    if let value = try reader.flag("dpop_nonce_rotation") { rules.rotatesNonce = value }
    try reader.number("dpop_window", in: 0...86_400, into: &rules.window)
    try reader.choice("break_dpop", into: &rules.fault)
  }

  private static func readFailures(
    _ reader: Reader, _ names: [String], _ settings: inout Settings
  ) throws(OAuthFailure) {
    let status = try reader.number("status", in: 400...599) ?? 503
    let error = reader["error"] ?? "temporarily_unavailable"
    guard error.utf8.allSatisfy({ ASCII.isPrintable($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    else { throw Reader.wrong("error") }
    let retryAfter = try reader.number("retry_after", in: 0...86_400)
    for name in names {
      guard let endpoint = failureTarget(name), let count = try reader.number(name, in: 0...1_000_000) else { continue }
      settings.failures[endpoint] = PlannedFailure(
        remaining: count, status: status, error: error, retryAfter: retryAfter)
    }
  }

  private static func decision(_ reader: Reader) throws(OAuthFailure) -> Decision? {
    let username = reader["username"] ?? AuthorizationServer.demoUser
    guard AuthorizationServer.isUsername(username) else { throw Reader.wrong("username") }
    let (approved, denied) = (reader["approve"], reader["deny"])
    guard approved == nil || denied == nil else { throw OAuthFailure(.invalidRequest, "either approve or deny") }
    guard let typed = approved ?? denied else { return nil }
    guard let code = UserCode(typed: typed) else { throw Reader.wrong(approved == nil ? "deny" : "approve") }
    return Decision(code: code, approve: approved != nil, username: username)
  }

  private static func failureTarget(_ name: String) -> Endpoint? {
    guard name.hasPrefix(failurePrefix), let endpoint = Endpoint(rawValue: String(name.dropFirst(failurePrefix.count)))
    else { return nil }
    return endpoint == .control ? nil : endpoint
  }

  /// Typed access to the parameters.
  private struct Reader {
    let parameters: Parameters

    static func wrong(_ name: String) -> OAuthFailure {
      OAuthFailure(.invalidRequest, "wrong value of \(name)")
    }

    subscript(name: String) -> String? { parameters[name] }

    func number(_ name: String, in range: ClosedRange<Int>) throws(OAuthFailure) -> Int? {
      guard let text = parameters[name] else { return nil }
      guard let value = ASCII.number(text, in: range) else { throw Self.wrong(name) }
      return value
    }

    func number(_ name: String, in range: ClosedRange<Int>, into target: inout Int) throws(OAuthFailure) {
      if let value = try number(name, in: range) { target = value }
    }

    func flag(_ name: String) throws(OAuthFailure) -> Bool? {
      switch parameters[name] {
      case nil: nil
      case "1", "on": true
      case "0", "off": false
      default: throw Self.wrong(name)
      }
    }

    func choice<C: RawRepresentable<String>>(_ name: String, into target: inout C?) throws(OAuthFailure) {
      guard let text = parameters[name] else { return }
      guard text != off else {
        target = nil
        return
      }
      guard let value = C(rawValue: text) else { throw Self.wrong(name) }
      target = value
    }
  }
}
