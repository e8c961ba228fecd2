import Encoding
import Platform

extension DevelopmentIssuer {
  /// The device authorization endpoint (RFC 8628 sections 3.1 and 3.2).
  mutating func authorizeDevice(_ request: IssuerRequest) throws -> IssuerAnswer {
    let (form, client) = try authenticated(request)
    try client.requireGrantType(GrantType.deviceCode)
    let grant = IssuerGrant(
      clientID: client.id, scope: try form.scope() ?? IssuerParameters.defaultScope, authTime: wall,
      targets: try targets(of: form))
    let (lifetime, interval) = (settings.number("device_code_lifetime"), settings.number("interval"))
    var device = DeviceGrant(
      userCode: try UserCode.random(), grant: grant, expiresAt: instant(after: lifetime), interval: .seconds(interval))
    let approval = settings.text("approval")
    if approval != "ask" { device.decide(approves: approval == "always", User.demo, at: wall) }
    count(.deviceAuthorizations)
    return .json([
      "device_code": .string(try devices.add(device)), "user_code": .string(device.userCode),
      "verification_uri": .string(url + "/device"),
      "verification_uri_complete": .string(url + "/device?user_code=" + device.userCode),
      "expires_in": .int(lifetime), "interval": .int(interval),
    ])
  }

  /// Decides for a user, once.
  mutating func decide(_ typed: String, approves: Bool, _ username: String) throws {
    var (deviceCode, device) = try devices.pending(typed, at: now)
    device.decide(approves: approves, username, at: wall)
    devices.grants[deviceCode] = device
    count(approves ? .approvals : .denials)
  }

  /// RFC 8628 sections 3.4 and 3.5. An approved code is gone with the answer; one of another client is unknown.
  mutating func redeemDeviceCode(_ order: TokenOrder) throws -> IssuerAnswer {
    let code = try order.form.required("device_code")
    count(.devicePolls)
    guard var device = devices.grants[code], device.grant.clientID == order.client.id else {
      throw Refusal("invalid_grant", "unknown device code, or used already")
    }
    try check(device.expiresAt > now, "expired_token", "the device code has expired")
    let isTimely = device.notePoll(at: now)
    devices.grants[code] = device
    if !isTimely { count(.slowDowns) }
    try check(isTimely, "slow_down", "polled before the interval was over")
    try check(device.decision != .pending, "authorization_pending", "the user has not decided yet")
    guard device.decision == .approved else { throw Self.denial }
    devices.grants[code] = nil
    count(.deviceGrants)
    return try begin(device.grant, try Seal.opaque(), order)
  }

  // MARK: The pages behind `verification_uri` (RFC 8628 section 3.3)

  mutating func verification(_ request: IssuerRequest) throws -> IssuerAnswer {
    guard request.method == "POST" else {
      return try codePage(request, (try? request.queryParameters())?["user_code"])
    }
    guard let form = try? request.form() else {
      return try codePage(request, nil, problem: "That was not understood. Please try again.")
    }
    let (typed, username) = (form["user_code"] ?? "", form["username"] ?? "")
    guard try isOwnForm(request, form) else {
      return try codePage(
        request, typed, status: 403, problem: "This form was too old or came from elsewhere. Please try again.")
    }
    guard devices.mayGuess(at: now) else {
      var answer = Page(title: "Slow down", status: 429, lines: ["Too many wrong codes. Wait a minute."]).answer
      answer[header: "Retry-After"] = "60"
      return answer
    }
    guard User.isName(username) else { return try codePage(request, typed, problem: Page.wrongName) }
    do {
      let isApproval = form["decision"] == "approve"
      guard isApproval || form["decision"] == "deny" else {
        return try consentPage(request, try devices.pending(typed, at: now).device, username)
      }
      try decide(typed, approves: isApproval, username)
      let what = isApproval ? "Return to your device." : "The device gets nothing."
      return Page(title: "Access \(isApproval ? "approved" : "denied")", lines: [what + " You can close this page."])
        .answer
    } catch let problem as DeviceStore.CodeProblem {
      devices.noteWrongGuess(at: now)
      return try codePage(request, typed, problem: problem.text)
    }
  }

  private func codePage(
    _ request: IssuerRequest, _ typed: String?, status: Int = 200, problem: String? = nil
  ) throws -> IssuerAnswer {
    let inputs = [("user_code", "Code", typed ?? ""), ("username", "User name", User.demo)]
    let page = Page(
      title: "Sign in on a device", status: status, problem: problem,
      lines: ["Enter the code that your device shows. Go on only if you started this yourself."], action: "/device",
      inputs: inputs, buttons: [("continue", "Continue")])
    return try show(page, request)
  }

  /// The code is shown again even when it came with the link (RFC 8628 section 3.3.1).
  private func consentPage(_ request: IssuerRequest, _ device: DeviceGrant, _ username: String) throws -> IssuerAnswer {
    let asking = try clients.named(device.grant.clientID).asking
    let lines = ["You are \(username). \(asking)", "Your device must show this code: \(device.userCode)"]
    let page = Page(
      title: "Allow access?", lines: lines, items: device.grant.scope, action: "/device",
      hidden: [("user_code", device.userCode), ("username", username)], buttons: Page.decisions)
    return try show(page, request)
  }
}
