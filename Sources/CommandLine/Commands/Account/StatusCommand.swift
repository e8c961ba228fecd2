internal import Encoding
internal import Platform
internal import Vocabulary
internal import Wire

/// `agent status`.
enum StatusCommand {
  static func run(_ invocation: Invocation) throws(Failure) -> Action {
    let named = try invocation.namedAccount()
    let checks = invocation[.check]
    let client = DaemonClient(invocation)
    return Action { () throws(Failure) in
      let result = try client.ask(.status(account: named, check: checks))
      try client.console.answer(result) { text($0, now: SystemTime().wallSeconds()) }
      return checks ? worst(of: result["accounts"]?.array ?? [], isNamed: named != nil).rawValue : 0
    }
  }

  /// The exit status that is most in need of a person, of all accounts that were checked. An account that nobody named
  /// and that is not signed in was not.
  static func worst(of accounts: [JSON], isNamed: Bool) -> Wire.ExitStatus {
    let found = accounts.map { (account) -> Wire.ExitStatus in
      switch account["check"]?.string.flatMap(CheckResult.init(rawValue:)) {
      case .signedOutElsewhere: .signInNeeded
      case .notSignedIn: isNamed ? .signInNeeded : .done
      case .failed: account["check_problem"].flatMap(Failure.init(json:))?.code.exitStatus ?? .tryLater
      case .holds, .notPossible, nil: .done
      }
    }
    let order: [Wire.ExitStatus] = [.locked, .signInNeeded, .tryLater, .denied, .failed]
    return order.first { found.contains($0) } ?? .done
  }

  /// - Parameter now: Unix seconds.
  static func text(_ result: JSONObject, now: Int) -> String {
    let accounts = result["accounts"]?.array ?? []
    var text = accounts.map { account($0, now: now) + "\n" }.joined()
    if accounts.isEmpty { text = Phrase("no accounts; \("\"agent login\"") adds one").localized() + "\n\n" }
    var listing = Listing()
    if let daemon = result["daemon"] { listing.add([Phrase("daemon"), Phrase(verbatim: self.daemon(daemon))]) }
    if let socket = result["daemon"]?["socket"]?.string {
      listing.add([Phrase("socket"), Phrase(verbatim: socket)])
    }
    if let vault = result["vault"] { listing.add([Phrase("vault"), self.vault(vault)]) }
    return text + listing.text
  }

  private static func account(_ account: JSON, now: Int) -> String {
    var listing = Listing()
    func add(_ title: Phrase, _ value: Phrase?) {
      if let value { listing.add([Phrase("  \(title)"), value]) }
    }
    func add(_ title: Phrase, _ member: String) {
      add(title, account[member]?.string.map { Phrase(verbatim: $0) })
    }
    func expiry(_ member: String) -> Phrase? {
      account[member]?.int.map { RelativeTime.expiryPhrase(at: $0, now: now) }
    }
    add(Phrase("state"), state(account, now: now))
    add(Phrase("session"), session(account, now: now))
    add(Phrase("renewal"), renewal(account))
    add(Phrase("issuer"), "issuer")
    add(Phrase("client"), "client_id")
    add(Phrase("subject"), "subject")
    add(Phrase("scope"), "scope")
    add(Phrase("details"), details(account))
    if account["protection"]?.string != "device" { add(Phrase("protection"), "protection") }
    add(Phrase("secret"), expiry("client_secret_expires_at"))
    add(Phrase("certificate"), expiry("certificate_expires_at"))
    add(Phrase("proxy"), "proxy")
    add(Phrase("ca file"), "ca_file")
    if account["http_loopback"]?.bool == true {
      add(Phrase("warning"), Phrase("plain http to this machine is allowed"))
    }
    add(Phrase("check"), check(account))
    add(Phrase("problem"), problem(account["problem"]))
    let name = account["name"]?.string ?? "?"
    let title = account["active"]?.bool == true ? Phrase("\(name) (active account)") : Phrase(verbatim: name)
    return title.localized(limit: 200) + "\n" + listing.text
  }

  /// The types of what was granted (RFC 9396).
  private static func details(_ account: JSON) -> Phrase? {
    let types = (account["authorization_details"]?.array ?? []).compactMap { $0["type"]?.string }
    return types.isEmpty ? nil : Phrase(verbatim: types.joined(separator: ", "))
  }

  /// Until when the session goes on without a sign-in, where the server says it.
  private static func session(_ account: JSON, now: Int) -> Phrase? {
    if let end = account[WireProtocol.signInMember]?.int { return SignInReminder.phrase(by: end, now: now) }
    let ends = ["refresh_token_expires_at", "authorization_expires_at"].compactMap { account[$0]?.int }
    return ends.min().flatMap { SignInReminder.end(at: $0) }
  }

  static func state(_ account: JSON, now: Int) -> Phrase {
    var state = stateName(account["state"]?.string ?? "unknown")
    if account["guest"]?.bool == true { state = Phrase("\(state) as a guest") }
    if let expiry = account["expires_at"]?.int {
      state = Phrase("\(state), token \(RelativeTime.expiryPhrase(at: expiry, now: now))")
    }
    if let refresh = account["last_refresh"]?.int {
      state = Phrase("\(state), refreshed \(RelativeTime.pastPhrase(refresh, now: now))")
    }
    return state
  }

  /// A state of the protocol in words for people; `active` there is no more than signed in here.
  private static func stateName(_ word: String) -> Phrase {
    switch word {
    case "signed_out": Phrase("signed out")
    case "signing_in": Phrase("signing in")
    case "active", "stale": Phrase("signed in")
    case "refreshing": Phrase("refreshing")
    case "expired": Phrase("expired")
    case "locked": Phrase("locked")
    case "offline": Phrase("offline")
    default: Phrase(verbatim: word)
    }
  }

  /// When tokens are renewed, where that is not the usual way.
  private static func renewal(_ account: JSON) -> Phrase? {
    let policy = account["refresh"]?.string.flatMap { RefreshPolicy(rawValue: $0) }
    let name = policy.flatMap { $0 == .proactive ? nil : Phrase(verbatim: $0.rawValue) }
    guard account["refresh_queued"]?.bool == true else { return name }
    let waits = Phrase("waits for the network or the server")
    return name.map { Phrase("\($0), \(waits)") } ?? waits
  }

  private static func check(_ account: JSON) -> Phrase? {
    guard let word = account["check"]?.string else { return nil }
    return switch CheckResult(rawValue: word) {
    case .holds: Phrase("still valid at the server")
    case .signedOutElsewhere: Phrase("no longer valid at the server")
    case .notSignedIn: Phrase("not signed in")
    case .notPossible: Phrase("the server offers no way to check")
    case .failed: problem(account["check_problem"]) ?? Phrase("no answer")
    case nil: Phrase(verbatim: word)
    }
  }

  static func problem(_ problem: JSON?) -> Phrase? {
    guard let problem else { return nil }
    guard let failure = Failure(json: problem) else {
      return (problem["message"]?.string ?? problem.string).map { Phrase(known: $0) }
    }
    return failure.advice.map { Phrase("\(failure.text); try: \($0)") } ?? failure.text
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
    let limits = limits(daemon["limits"])
    if !limits.isEmpty { parts.append("limited by the program that started it: \(limits)") }
    return parts.joined(separator: ", ")
  }

  /// The limits that usually do not exist, or are much higher.
  private static func limits(_ limits: JSON?) -> String {
    let usual = [
      ("processor_seconds", Int.max), ("file_bytes", .max), ("data_bytes", .max),
      ("address_space_bytes", .max), ("descriptors", 1023), ("processes", 255),
    ]
    return usual.compactMap { name, most in
      limits?[name]?.int.flatMap { $0 <= most ? "\(name) \($0)" : nil }
    }.joined(separator: ", ")
  }

  private static func vault(_ vault: JSON) -> Phrase {
    guard vault["exists"]?.bool != false else { return Phrase("none yet") }
    let path = vault["path"]?.string ?? "unknown"
    guard let binding = VaultText.binding(vault) else { return Phrase("\(path), bound to nothing") }
    return Phrase("\(path), bound to \(Phrase(known: binding))")
  }
}
