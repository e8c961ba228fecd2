import Encoding
import Platform

extension DevelopmentIssuer {
  /// RFC 8628 sections 3.1 and 3.2.
  mutating func authorizeDevice(_ request: IssuerRequest) throws -> IssuerAnswer {
    let (form, client) = try authenticated(request)
    try client.requireGrantType(GrantType.deviceCode)
    let grant = IssuerGrant(
      clientID: client.id, scope: try form.scope() ?? IssuerParameters.defaultScope, authTime: wall,
      targets: try targets(of: form))
    let (lifetime, interval) = (settings.number("device_code_lifetime"), settings.number("interval"))
    var device = DeviceGrant(
      userCode: UserCode.random(), grant: grant, expiresAt: instant(after: lifetime), interval: .seconds(interval))
    let approval = settings.text("approval")
    if approval != "ask" { device.decide(approves: approval == "always", User.demo, at: wall) }
    count(.deviceAuthorizations)
    return .json([
      "device_code": .string(try state.devices.add(device)), "user_code": .string(device.userCode),
      "verification_uri": .string(url + "/device"),
      "verification_uri_complete": .string(url + "/device?user_code=" + device.userCode),
      "expires_in": .int(lifetime), "interval": .int(interval),
    ])
  }

  /// The reason why a user code cannot be used, as shown to users.
  private struct CodeProblem: Error { let text: String }

  private func pendingDevice(_ typed: String) throws(CodeProblem) -> (deviceCode: String, device: DeviceGrant) {
    let found = UserCode.read(typed).flatMap { code in state.devices.first { $0.userCode == code } }
    guard let (key, device) = found else {
      throw CodeProblem(text: "There is no such code. Look at your device again.")
    }
    let reason = device.expiresAt <= now ? "has expired" : device.isApproved == nil ? nil : "was used already"
    if let reason { throw CodeProblem(text: "This code \(reason). Start again on your device.") }
    return (key, device)
  }

  mutating func decide(_ typed: String, approves: Bool, _ username: String) throws {
    var (deviceCode, device) = try pendingDevice(typed)
    device.decide(approves: approves, username, at: wall)
    state.devices[deviceCode] = device
    count(approves ? .approvals : .denials)
  }

  /// Exchanges an approved device code once (RFC 8628 sections 3.4 and 3.5).
  mutating func redeemDeviceCode(_ order: TokenOrder) throws -> IssuerAnswer {
    let code = try order.form.required("device_code")
    count(.devicePolls)
    guard var device = state.devices[code], device.grant.clientID == order.client.id else {
      throw Refusal("invalid_grant", "unknown device code, or used already")
    }
    try check(device.expiresAt > now, "expired_token", "the device code has expired")
    // The network may deliver two requests closer together than they were sent.
    let isTimely = device.lastPoll.map { $0.duration(to: now) + .milliseconds(100) >= device.interval } ?? true
    device.lastPoll = now
    // RFC 8628 section 3.5.
    if !isTimely { device.interval += .seconds(5) }
    state.devices[code] = device
    if !isTimely { count(.slowDowns) }
    try check(isTimely, "slow_down", "polled before the interval was over")
    let isApproved = try check(device.isApproved, "authorization_pending", "the user has not decided yet")
    if !isApproved { throw Self.denial }
    state.devices[code] = nil
    count(.deviceGrants)
    return try begin(device.grant, try Seal.opaque(), order)
  }

  // MARK: The pages at `verification_uri` (RFC 8628 section 3.3)

  /// The page for entering a user code, and its form's target.
  mutating func verification(_ request: IssuerRequest) throws -> IssuerAnswer {
    guard request.method == "POST" else {
      return try codePage(request, (try? request.queryParameters())?["user_code"])
    }
    guard let form = try ownForm(of: request) else {
      return try codePage(
        request, nil, status: 403, problem: "This form was too old or came from elsewhere. Please try again.")
    }
    let (typed, username) = (form["user_code"] ?? "", form["username"] ?? "")
    // At most 20 wrong codes per minute (RFC 8628 section 5.1).
    if let since = state.guesses?.since, since.duration(to: now) >= .seconds(60) { state.guesses = nil }
    guard state.guesses?.count ?? 0 < 20 else {
      let page = Page(title: "Slow down", status: 429, lines: ["Too many wrong codes. Wait a minute."])
      return page.answer.with("Retry-After", "60")
    }
    guard User.isName(username) else { return try codePage(request, typed, problem: Page.wrongName) }
    do {
      let isApproval = form["decision"] == "approve"
      guard isApproval || form["decision"] == "deny" else {
        return try consentPage(request, try pendingDevice(typed).device, username)
      }
      try decide(typed, approves: isApproval, username)
      let what = isApproval ? "Return to your device." : "The device gets nothing."
      return Page(title: "Access \(isApproval ? "approved" : "denied")", lines: [what + " You can close this page."])
        .answer
    } catch let problem as CodeProblem {
      state.guesses = (1 + (state.guesses?.count ?? 0), state.guesses?.since ?? now)
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

  /// Shows the code even if the link contained it (RFC 8628 section 3.3.1).
  private func consentPage(_ request: IssuerRequest, _ device: DeviceGrant, _ username: String) throws -> IssuerAnswer {
    let asking = try clients.named(device.grant.clientID).asking
    let lines = ["You are \(username). \(asking)", "Your device must show this code: \(device.userCode)"]
    let page = Page(
      title: "Allow access?", lines: lines, items: device.grant.scope, action: "/device",
      hidden: [("user_code", device.userCode), ("username", username)], buttons: Page.decisions)
    return try show(page, request)
  }
}

/// A device authorization until its code is used (RFC 8628 section 3).
struct DeviceGrant: Sendable {
  let userCode: String
  /// Without a user until approved.
  var grant: IssuerGrant
  let expiresAt: Instant
  /// The minimum time between two polls.
  var interval: Duration
  /// Nil until the user decides.
  var isApproved: Bool?
  var lastPoll: Instant?

  mutating func decide(approves: Bool, _ username: String, at unixSeconds: Int) {
    isApproved = approves
    (grant.username, grant.authTime) = (username, unixSeconds)
  }
}

/// Eight consonants, so that no word can appear (RFC 8628 section 6.1).
enum UserCode {
  private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

  /// Normalizes case, hyphens and spaces. Nil if not a code.
  static func read(_ text: String) -> String? {
    let letters = text.utf8.filter { !"- ".utf8.contains($0) }.map { $0 >= 0x61 ? $0 & 0xDF : $0 }
    guard text.utf8.count <= 64, letters.count == 8, letters.allSatisfy(alphabet.contains) else { return nil }
    return String(decoding: letters.prefix(4) + [UInt8(ascii: "-")] + letters.suffix(4), as: UTF8.self)
  }

  static func random() -> String {
    read(String(decoding: (0..<8).compactMap { _ in alphabet.randomElement() }, as: UTF8.self)) ?? ""
  }
}
