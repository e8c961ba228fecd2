import Crypto
import Encoding
import Platform

/// One device authorization, from its request until its code is used (RFC 8628 section 3).
struct DeviceGrant: Sendable {
  enum Decision: Sendable {
    case pending
    case approved(username: String, authTime: Int)
    case denied
  }

  let userCode: String
  let clientID: String
  let scope: [String]
  let targets: [String]
  let expiresAt: Instant
  /// The least time between two polls.
  var interval: Duration
  var decision = Decision.pending
  var lastPoll: Instant?

  /// Notes a poll. False when it came too early: then the interval has grown by five seconds (RFC 8628 section 3.5).
  mutating func notePoll(at now: Instant) -> Bool {
    // Clients measure the interval between their sends; the network may bring two closer together.
    let isTimely = lastPoll.map { $0.duration(to: now) + .milliseconds(100) >= interval } ?? true
    lastPoll = now
    if !isTimely { interval += .seconds(5) }
    return isTimely
  }
}

/// What the user types: eight consonants, so that no word can appear (RFC 8628 section 6.1).
enum UserCode {
  private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

  /// What was typed, as it is shown: case, hyphens and spaces do not matter. Nil for what is no code.
  static func read(_ text: String) -> String? {
    let letters = text.utf8.filter { !"- ".utf8.contains($0) }.map { $0 >= 0x61 ? $0 & 0xDF : $0 }
    guard text.utf8.count <= 64, letters.count == 8, letters.allSatisfy(alphabet.contains) else { return nil }
    return String(decoding: letters.prefix(4) + [UInt8(ascii: "-")] + letters.suffix(4), as: UTF8.self)
  }

  /// A new code; each of the 20^8 is as likely as the others.
  static func random() throws -> String {
    var letters: [UInt8] = []
    while letters.count < 8 {
      // Bytes from 240 on would make some letters more likely.
      letters += try Random.bytes(8).filter { $0 < 240 }.map { alphabet[Int($0) % alphabet.count] }
    }
    return read(String(decoding: letters.prefix(8), as: UTF8.self)) ?? ""
  }
}

extension DevelopmentIssuer {
  /// Why a user code cannot be used, for the user.
  struct CodeProblem: Error { let text: String }

  /// The device authorization endpoint (RFC 8628 sections 3.1 and 3.2).
  mutating func authorizeDevice(_ request: IssuerRequest) throws -> IssuerAnswer {
    let form = try request.form()
    let client = try authenticate(request, form)
    try client.requireGrantType(GrantType.deviceCode)
    let (deviceCode, userCode) = (try Self.opaque(), try UserCode.random())
    var grant = DeviceGrant(
      userCode: userCode, clientID: client.id, scope: try form.scope() ?? ["openid", "profile", "email"],
      targets: try targets(of: form), expiresAt: instant(after: settings.deviceCodeLifetime),
      interval: .seconds(settings.interval))
    switch settings.approval {
    case .ask: break
    case .always: grant.decision = .approved(username: Self.demoUser, authTime: wall)
    case .never: grant.decision = .denied
    }
    count(.deviceAuthorizations)
    devices[deviceCode] = grant
    userCodes[userCode] = deviceCode
    return .json([
      "device_code": .string(deviceCode), "user_code": .string(userCode), "verification_uri": .string(url + "/device"),
      "verification_uri_complete": .string(url + "/device?user_code=" + userCode),
      "expires_in": .int(settings.deviceCodeLifetime), "interval": .int(settings.interval),
    ])
  }

  /// The authorization that waits for a decision under a code that was typed.
  private func pending(_ typed: String) throws -> (deviceCode: String, grant: DeviceGrant) {
    guard let code = UserCode.read(typed), let deviceCode = userCodes[code], let grant = devices[deviceCode] else {
      throw CodeProblem(text: "There is no such code. Look again at your device.")
    }
    guard grant.expiresAt > now else {
      throw CodeProblem(text: "This code has expired. Start again on your device.")
    }
    guard case .pending = grant.decision else {
      throw CodeProblem(text: "This code was used already. Start again on your device.")
    }
    return (deviceCode, grant)
  }

  /// Decides for a user, once.
  mutating func decide(_ typed: String, approves: Bool, _ username: String) throws {
    let deviceCode = try pending(typed).deviceCode
    let approval = DeviceGrant.Decision.approved(username: username, authTime: wall)
    devices[deviceCode]?.decision = approves ? approval : .denied
    count(approves ? .approvals : .denials)
  }

  /// RFC 8628 sections 3.4 and 3.5. An approved code is gone with the answer; one of another client is unknown.
  mutating func redeemDeviceCode(_ form: IssuerParameters, _ order: TokenOrder) throws -> IssuerAnswer {
    let code = try form.required("device_code")
    count(.devicePolls)
    guard var device = devices[code], device.clientID == order.client.id else {
      throw Refusal("invalid_grant", "unknown device code, or used already")
    }
    try check(device.expiresAt > now, "expired_token", "the device code has expired")
    let isTimely = device.notePoll(at: now)
    devices[code] = device
    guard isTimely else {
      count(.slowDowns)
      throw Refusal("slow_down", "polled before the interval was over")
    }
    switch device.decision {
    case .pending: throw Refusal("authorization_pending", "the user has not decided yet")
    case .denied: throw Refusal("access_denied", "the user said no")
    case .approved(let username, let authTime):
      devices[code] = nil
      count(.deviceGrants)
      let grant = IssuerGrant(
        clientID: order.client.id, username: username, scope: device.scope, authTime: authTime, targets: device.targets)
      return try begin(grant, try Self.opaque(), order)
    }
  }

  // MARK: The pages behind `verification_uri` (RFC 8628 section 3.3)

  mutating func verification(_ request: IssuerRequest) throws -> IssuerAnswer {
    guard request.method == "POST" else {
      return try codePage(request, (try? request.queryParameters())?["user_code"] ?? "")
    }
    guard let form = try? request.form() else {
      return try codePage(request, "", problem: "That was not understood. Please try again.")
    }
    let typed = form["user_code"] ?? ""
    guard try isOwnForm(request, form) else {
      return try codePage(
        request, typed, status: 403, problem: "This form was too old or came from elsewhere. Please try again.")
    }
    // RFC 8628 section 5.1: twenty wrong codes in a minute are enough.
    if let guesses, guesses.since.duration(to: now) >= .seconds(60) { self.guesses = nil }
    guard guesses?.count ?? 0 < 20 else {
      var answer = Page.answer("<p>Too many wrong codes. Wait a minute.</p>", title: "Slow down", status: 429)
      answer[header: "Retry-After"] = "60"
      return answer
    }
    let username = form["username"] ?? ""
    guard Self.isUsername(username) else { return try codePage(request, typed, problem: Page.wrongName) }
    do {
      switch form["decision"] {
      case "approve":
        try decide(typed, approves: true, username)
        return Page.answer("<p>Return to your device. You can close this page.</p>", title: "Access approved")
      case "deny":
        try decide(typed, approves: false, username)
        return Page.answer("<p>The device gets nothing. You can close this page.</p>", title: "Access denied")
      default: return try consentPage(request, try pending(typed).grant, username)
      }
    } catch let problem as CodeProblem {
      guesses = (1 + (guesses?.count ?? 0), guesses?.since ?? now)
      return try codePage(request, typed, problem: problem.text)
    }
  }

  private func codePage(
    _ request: IssuerRequest, _ typed: String, status: Int = 200, problem: String? = nil
  ) throws -> IssuerAnswer {
    try formPage(
      request, to: "/device", title: "Sign in on a device", status: status, problem: problem,
      before: "<p>Enter the code that your device shows. Go on only if you started this yourself.</p>",
      """
      <label for="user_code">Code</label>
      <input class="code" id="user_code" name="user_code" value="\(Page.escaped(typed))" autocomplete="off" autofocus>
      <label for="username">User name</label>
      <input id="username" name="username" value="\(Self.demoUser)" autocomplete="off">
      <button type="submit">Continue</button>
      """)
  }

  /// The code is shown again even when it came with the link (RFC 8628 section 3.3.1).
  private func consentPage(_ request: IssuerRequest, _ grant: DeviceGrant, _ username: String) throws -> IssuerAnswer {
    try formPage(
      request, to: "/device", title: "Allow access?",
      before: Page.asking(try client(grant.clientID), grant.scope, as: username)
        + "<p>Your device must show this code: <span class=\"code\">\(grant.userCode)</span></p>",
      """
      <input type="hidden" name="user_code" value="\(grant.userCode)">
      <input type="hidden" name="username" value="\(Page.escaped(username))">
      \(Page.decisionButtons)
      """)
  }
}
