internal import Encoding
internal import Platform
internal import Wire

/// `agent status`.
enum StatusCommand {
  @Sendable static func run(_ invocation: Invocation) throws(Failure) -> Int32 {
    let result = try DaemonClient(invocation).ask(
      .status(account: try invocation.namedAccount(), check: invocation.has(.check)))
    if invocation.has(.json) {
      try Console.answer(result)
    } else {
      try Console.answer(text(result, now: SystemTime().wallSeconds()))
    }
    return 0
  }

  /// - Parameter now: Unix seconds.
  static func text(_ result: JSONObject, now: Int) -> String {
    let accounts = result["accounts"]?.array ?? []
    var text = accounts.map { account($0, now: now) + "\n" }.joined()
    if accounts.isEmpty { text = "no accounts; \"agent login\" adds one\n\n" }
    var listing = Listing()
    if let daemon = result["daemon"] { listing.add(["daemon", self.daemon(daemon)]) }
    if let socket = result["daemon"]?["socket"]?.string { listing.add(["socket", socket]) }
    if let vault = result["vault"] { listing.add(["vault", self.vault(vault)]) }
    return text + listing.text
  }

  private static func account(_ account: JSON, now: Int) -> String {
    var state = account["state"]?.string ?? "unknown"
    if account["guest"]?.bool == true { state += " as a guest" }
    if let expiry = account["expires_at"]?.int { state += ", token \(RelativeTime.expiry(at: expiry, now: now))" }
    if let refresh = account["last_refresh"]?.int { state += ", refreshed \(RelativeTime.past(refresh, now: now))" }
    let mark = account["active"]?.bool == true ? " (active account)" : ""
    var listing = Listing()
    func add(_ title: String, _ value: String?) {
      if let value { listing.add(["  \(title)", value]) }
    }
    add("state", state)
    add("renewal", renewal(account))
    add("issuer", account["issuer"]?.string)
    add("client", account["client_id"]?.string)
    add("subject", account["subject"]?.string)
    add("scope", account["scope"]?.string)
    if account["protection"]?.string != "device" { add("protection", account["protection"]?.string) }
    add("secret", account["client_secret_expires_at"]?.int.map { RelativeTime.expiry(at: $0, now: now) })
    add("certificate", account["certificate_expires_at"]?.int.map { RelativeTime.expiry(at: $0, now: now) })
    add("proxy", account["proxy"]?.string)
    add("ca file", account["ca_file"]?.string)
    if account["http_loopback"]?.bool == true { add("warning", "plain http to this machine is allowed") }
    add("check", check(account))
    add("problem", problem(account["problem"]))
    return TerminalText.clean(account["name"]?.string ?? "?") + mark + "\n" + listing.text
  }

  /// When tokens are renewed, where that is not the usual way.
  private static func renewal(_ account: JSON) -> String? {
    let waits = account["refresh_queued"]?.bool == true ? "waits for the network or the server" : nil
    let policy = account["refresh"]?.string.flatMap { RefreshPolicyName(rawValue: $0) }
    let parts = [policy == .proactive ? nil : policy?.rawValue, waits].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private static func check(_ account: JSON) -> String? {
    guard let word = account["check"]?.string else { return nil }
    return switch CheckResult(rawValue: word) {
    case .holds: "the server says that the session holds"
    case .signedOutElsewhere: "the server no longer honours the session"
    case .notSignedIn: "there is no session to ask about"
    case .notPossible: "the server offers nothing that would tell"
    case .failed: problem(account["check_problem"]) ?? "no answer"
    case nil: word
    }
  }

  private static func problem(_ problem: JSON?) -> String? {
    guard let problem, let message = problem["message"]?.string ?? problem.string else { return nil }
    return problem["hint"]?.string.map { "\(message); try: \($0)" } ?? message
  }

  /// The daemon on one line.
  static func daemon(_ daemon: JSON) -> String {
    var parts: [String] = []
    if let version = daemon["version"]?.string { parts.append("version \(version)") }
    if let pid = daemon["pid"]?.int { parts.append("pid \(pid)") }
    if let uptime = daemon["uptime"]?.int { parts.append("up \(RelativeTime.text(seconds: uptime))") }
    if let memory = daemon["memory_pss_kib"]?.int {
      parts.append("\(memory / 1024).\(memory % 1024 * 10 / 1024) MiB")
    }
    if let heap = daemon["secure_heap"]?.string, heap != "locked" {
      parts.append("memory for secrets is \(heap), so it may be swapped out")
    }
    return parts.joined(separator: ", ")
  }

  private static func vault(_ vault: JSON) -> String {
    guard vault["exists"]?.bool != false else { return "none yet" }
    return "\(vault["path"]?.string ?? "unknown"), bound to \(VaultText.binding(vault) ?? "nothing")"
  }
}
