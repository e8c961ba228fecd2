import Encoding

/// Switches and counters for tests. Tells no token and no code.
extension DevelopmentIssuer {
  typealias Action = @Sendable (inout DevelopmentIssuer, String) throws -> Bool

  /// What happens at once, after the settings of the same request have changed; false for a wrong value.
  static let controlActions: [(name: String, run: Action)] = [
    ("approve", { (try? $0.decide($1, approves: true, $0.settings.text("username") ?? "")) != nil }),
    ("deny", { (try? $0.decide($1, approves: false, $0.settings.text("username") ?? "")) != nil }),
    ("revoke_all", ifOn { ($0.tokens, $0.devices, $0.signIns) = (TokenStore(), DeviceStore(), SignInStore()) }),
    ("rotate_key", ifOn { $0.key = try IssuerKey($0.key.algorithm) }),
    ("replace_dpop_nonces", ifOn { try $0.proofs.replaceNonces() }),
  ]

  private static func ifOn(_ act: @escaping @Sendable (inout DevelopmentIssuer) throws -> Void) -> Action {
    { issuer, value in
      if value == "1" || value == "on" { try act(&issuer) }
      return ["1", "on", "0", "off"].contains(value)
    }
  }

  mutating func control(_ request: IssuerRequest) throws -> IssuerAnswer {
    // No browser page may use it: a form on any site could be sent here (RFC 6454 section 7).
    guard request.values(of: "origin").isEmpty else { return .text("Not for browsers.", status: 403) }
    if request.method == "POST" {
      // A request that is refused changes nothing.
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
