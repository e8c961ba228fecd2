internal import Encoding
internal import Platform
internal import Wire

enum DaemonCheck {
  /// Checks the daemon's response to a `doctor` request.
  static func run(
    _ answer: JSONObject, now: Int = SystemTime().wallSeconds(),
    in variables: UserDirectories.Variables = Environment.value
  ) -> [Finding] {
    let accounts = answer["accounts"]?.array ?? []
    let none = Finding(.account, .warn, Phrase("no accounts yet"), hint: Phrase("agent login"))
    return daemon(answer["daemon"], variables) + unknownSettings(answer) + servers(accounts)
      + (answer["accounts"] == .array([]) ? [none] : [])
      + accounts.flatMap { account($0, now) + unconfirmedOrigins($0) + proxy($0, variables) }
  }

  /// Warns if a proxy that the user did not choose differs from the environment's.
  static func proxy(_ account: JSON, _ variables: (String) -> String?) -> [Finding] {
    guard let issuer = account[.issuer]?.string.flatMap({ try? URI($0) }), issuer.isHTTPS,
      account[.proxySource] == nil
    else { return [] }
    let named = LoginOptions.proxy(from: variables)
    let isExcluded = ProxyExclusions(named.exclusions ?? "").excludes(issuer.host)
    let (own, other) = (account[.proxy]?.string, isExcluded ? nil : named.url)
    guard hostAndPort(own) != hostAndPort(other), !(isExcluded && own != nil) else { return [] }
    let name = account[.name]?.string ?? "?"
    let text =
      switch (hostAndPort(own), hostAndPort(other)) {
      case (let own?, let other?): Phrase("\(name) uses the proxy \(own), but this environment sets \(other)")
      case (let own?, nil): Phrase("\(name) uses the proxy \(own), but this environment sets no proxy")
      case (nil, let other): Phrase("\(name) uses no proxy, but this environment sets \(other ?? "")")
      }
    return [Finding(.account, .warn, text, hint: Phrase(verbatim: "agent account set \(name) --proxy environment"))]
  }

  private static func hostAndPort(_ proxy: String?) -> String? {
    guard let proxy else { return nil }
    let bytes = Array(proxy.utf8)
    let start = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }.map { $0 + 3 } ?? 0
    let authority = bytes[start...].prefix { $0 != UInt8(ascii: "/") }
    let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
    return String(decoding: host, as: UTF8.self)
  }

  static func listedOrigins(_ answer: JSONObject) -> [OriginEntry] {
    (answer["accounts"]?.array ?? []).flatMap { $0[.origins]?.array ?? [] }
      .compactMap { $0.string.flatMap { OriginEntry($0, allowHTTPLoopback: true) } }
  }

  private static func unconfirmedOrigins(_ account: JSON) -> [Finding] {
    let name = account[.name]?.string ?? "?"
    return (account[.unconfirmedOrigins]?.array ?? []).compactMap(\.string).map { origin in
      Finding(
        .settings, .warn,
        Phrase("\(name) may not send its token to \(origin): the settings file lists it, but it was never confirmed"),
        hint: Phrase(verbatim: "agent account set \(name) --host \(ShellWord.quoted(origin))"))
    }
  }

  private static func unknownSettings(_ answer: JSONObject) -> [Finding] {
    (answer["unknown_settings"]?.array ?? []).map { setting in
      let name = setting["name"]?.string ?? "?"
      let location = Phrase(
        verbatim: "\(setting["file"]?.string ?? "?"):\(setting["line"]?.int ?? 0):\(setting["column"]?.int ?? 0)")
      return Finding(
        .settings, .warn, Phrase("\(location): unknown setting \"\(name)\", ignored"),
        hint: setting["meant"]?.string.map { Phrase("did you mean \"\($0)\"?") })
    }
  }

  /// Checks the daemon's version, directories and restrictions.
  private static func daemon(_ daemon: JSON?, _ variables: (String) -> String?) -> [Finding] {
    var findings: [Finding] = []
    let restart = Phrase("agent daemon restart")
    let version = daemon?["version"]?.string ?? "?"
    if !version.hasSameBytes(as: Product.version) {
      let text = Phrase("the daemon has version \(version), this program \(Product.version)")
      findings.add(.daemon, .warn, text, hint: restart)
    }
    if daemon?["program_replaced"]?.bool == true {
      findings.add(.daemon, .warn, Phrase("the running program was replaced by another version"), hint: restart)
    }
    let directories = [
      ("settings_directory", try? UserDirectories.configHome(in: variables)),
      ("state_directory", try? UserDirectories.stateHome(in: variables)),
    ]
    // A named socket may be that of a daemon for other directories.
    for (member, home) in directories where variables("AGENT_SOCKET") == nil {
      guard let used = daemon?[member]?.string, let own = home.map({ $0 + "/agent" }), !used.hasSameBytes(as: own)
      else {
        continue
      }
      findings.add(.daemon, .warn, Phrase("the daemon uses \(used), this environment \(own)"), hint: restart)
    }
    findings += DaemonText.problems(daemon).map {
      Finding(.daemon, .warn, $0, hint: Phrase("agent daemon restart"))
    }
    return findings.isEmpty ? [Finding(.daemon, .ok, DaemonText.line(daemon))] : findings
  }

  static func vault(_ vault: JSONObject) -> [Finding] {
    var findings: [Finding] = []
    if let failure = vault["problem"].flatMap({ Failure(json: $0) }) {
      findings.add(.vault, failure.code.exitStatus == .locked ? .warn : .fail, failure)
    }
    findings += VaultText.problems(.object(vault)).map { Finding(.vault, .warn, $0, hint: Phrase("agent vault bind")) }
    for level in vault["levels"]?.array ?? [] where level["locked"]?.bool == true && !VaultText.isEmpty(level) {
      findings.add(
        .vault, .warn, Phrase("the level \(level["protection"]?.string ?? "?") is locked"),
        hint: Phrase("agent unlock"))
    }
    return findings.isEmpty ? [Finding(.vault, .ok, VaultText.line(.object(vault)))] : findings
  }

  /// In seconds.
  private static let maximumClockOffset = 30

  private static func servers(_ accounts: [JSON]) -> [Finding] {
    var (findings, clocks): ([Finding], [Finding]) = ([], [])
    var seen: [JSON] = []
    for account in accounts {
      guard let server = account[.server], let issuer = account[.issuer]?.string else { continue }
      let known: JSON = .array([.string(issuer), server])
      if seen.contains(known) { continue }
      seen.append(known)
      if let failure = server["problem"].flatMap({ Failure(json: $0) }) {
        findings.add(
          .server, .fail, Phrase("\(issuer): \(failure.text)"),
          hint: failure.advice ?? Phrase(verbatim: "curl -sSI \(ShellWord.quoted(issuer))"))
      } else {
        let time = server["milliseconds"]?.int ?? 0
        let keys = server["keys"]?.int.map { Phrase.counted($0, one: "\($0) key", other: "\($0) keys") }
        findings.add(
          .server, .ok,
          keys.map { Phrase("\(issuer) is reachable (\(time) ms, \($0))") }
            ?? Phrase("\(issuer) is reachable (\(time) ms)"))
        if let count = server["unusable_keys"]?.int, count > 0 {
          let unusable = Phrase.counted(
            count, one: "\(count) more unusable key", other: "\(count) more unusable keys")
          findings.add(.server, .warn, Phrase("\(issuer) publishes \(unusable)"))
        }
      }
      if let proxy = account[.proxy]?.string {
        findings.add(.server, .ok, Phrase("\(issuer) is reached through the proxy \(withoutUser(proxy))"))
      }
      if let offset = server["clock_offset"]?.int, abs(offset) > maximumClockOffset {
        let length = RelativeTime.phrase(seconds: abs(offset))
        let text =
          offset > 0
          ? Phrase("this machine's clock is \(length) ahead of \(issuer)")
          : Phrase("this machine's clock is \(length) behind \(issuer)")
        clocks.add(.clock, .warn, text, hint: Phrase("timedatectl set-ntp true"))
      }
    }
    if clocks.isEmpty, accounts.contains(where: { $0[.server]?["clock_offset"] != nil }) {
      clocks.add(.clock, .ok, Phrase("in sync with the servers"))
    }
    return clocks + findings
  }

  /// The rest of a proxy URL after user name and password.
  private static func withoutUser(_ url: String) -> String {
    guard let mark = url.utf8.lastIndex(of: UInt8(ascii: "@")) else { return url }
    return String(url.utf8[url.utf8.index(after: mark)...]) ?? url
  }

  private static func account(_ account: JSON, _ now: Int) -> [Finding] {
    let name = account[.name]?.string ?? "?"
    let signIn = Phrase(verbatim: account[.guest]?.bool == true ? "agent workload \(name)" : "agent login \(name)")
    var findings: [Finding] = []
    if let failure = account[.problem].flatMap({ Failure(json: $0) }) {
      let text = account[.failedAt]?.int.map { Phrase("\(failure.text), \(RelativeTime.pastPhrase($0, now: now))") }
      let isPassing = [.tryLater, .locked].contains(failure.code.exitStatus)
      findings.add(
        .account, isPassing ? .warn : .fail, text ?? failure.text,
        hint: failure.advice ?? Phrase(verbatim: "agent status \(name)"))
    } else if account[.state]?.string == SessionState.signedOut.rawValue {
      findings.add(.account, .warn, Phrase("\(name): not signed in"), hint: signIn)
    } else {
      findings.add(.account, .ok, Phrase("\(name): \(state(account, now))"))
    }
    let (asked, given) = (scopeValues(account[.askedScope]), scopeValues(account[.scope]))
    // Servers may omit these scopes, which grant no access.
    let missing = asked.filter { !given.contains($0) && !["openid", "offline_access"].contains($0) }
    if !given.isEmpty, !missing.isEmpty {
      findings.add(
        .scope, .warn, Phrase("\(name): requested but not granted: \(missing.joined(separator: " "))"),
        hint: signIn)
    }
    return findings
  }

  private static func scopeValues(_ text: JSON?) -> [String] {
    (text?.string ?? "").split(separator: " ").map { String($0) }
  }

  private static func state(_ account: JSON, _ now: Int) -> Phrase {
    var text = AccountText.stateName(account)
    if let due = account[.nextRenewal]?.int {
      text = due > now ? Phrase("\(text), renews in \(RelativeTime.phrase(seconds: due - now))") : text
    }
    let ends = [account[.refreshTokenExpiresAt]?.int, account[.authorizationExpiresAt]?.int].compactMap(\.self)
    guard let end = ends.min() else { return text }
    return Phrase("\(text), the session \(RelativeTime.expiryPhrase(at: end, now: now))")
  }
}
