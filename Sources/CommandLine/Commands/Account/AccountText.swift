internal import Encoding
internal import Wire

/// Describes accounts to users. Optional results are nil if there is nothing to report.
enum AccountText {
  static func table(_ accounts: [JSON], of purpose: Purpose, _ presentation: Presentation) -> String {
    let isChecked = accounts.contains { $0[.check]?.string != nil }
    var titles = [Phrase(verbatim: ""), Phrase("ACCOUNT"), Phrase("PERSON"), Phrase("STATE")]
    if purpose == .status { titles += [Phrase("TOKEN")] }
    if isChecked { titles += [Phrase("CHECK")] }
    var table = Table(titles + [Phrase("ISSUER")])
    var shown: Set<String> = []
    for account in accounts {
      var cells = [
        Table.Cell(verbatim: account[.active]?.bool == true ? "*" : ""),
        Table.Cell(verbatim: account[.name]?.string ?? "?"),
        unattendedNote(account).map { Table.Cell($0) } ?? Table.Cell(verbatim: account[.person]?.string),
        Table.Cell(stateName(account), style: colour(account)),
      ]
      if purpose == .status { cells.append(Table.Cell(timeLeft(account, presentation))) }
      if isChecked {
        // A long cell would push the next column off the screen.
        cells.append(Table.Cell(account[.checkProblem] == nil ? check(account) : Phrase("failed")))
      }
      table.add(cells + [Table.Cell(verbatim: issuer(account))])
      for remark in remarks(account, presentation, except: &shown) { table.remark(remark, style: "33") }
    }
    return table.text(presentation)
  }

  static func pendingSignIns(_ result: JSONObject, _ presentation: Presentation) -> String {
    (result["sign_ins"]?.array ?? []).map { signIn in
      let account = signIn["account"]?.string ?? "?"
      let wait =
        switch signIn["flow"]?.string {
        case "device": Phrase("the sign-in to \(account) is waiting for approval of its code")
        case "paste": Phrase("the sign-in to \(account) is waiting for the browser's final address")
        case "confirmation": Phrase("the sign-in to \(account) is waiting for confirmation in its terminal")
        default: Phrase("the sign-in to \(account) is waiting for the browser")
        }
      let left = signIn["expires_at"]?.int.map { max(0, $0 - presentation.now) } ?? 0
      return Phrase("\(wait), \(RelativeTime.phrase(seconds: left)) left").localized() + "\n"
    }.joined()
  }

  enum Purpose: Sendable { case list, status }

  private static func timeLeft(_ account: JSON, _ presentation: Presentation) -> Phrase? {
    guard let end = account[.expiresAt]?.int else { return nil }
    let (left, overflow) = end.subtractingReportingOverflow(presentation.now)
    return overflow || left <= 0 ? nil : Phrase("\(RelativeTime.phrase(seconds: left)) left")
  }

  private static func issuer(_ account: JSON) -> String? {
    account[.issuer]?.string.map { $0.hasPrefix("https://") ? String($0.dropFirst(8)) : $0 }
  }

  /// Problems and reminders. `shown` collects the vault's problems, to list each once.
  private static func remarks(
    _ account: JSON, _ presentation: Presentation, except shown: inout Set<String>
  ) -> [Phrase] {
    var remarks: [Phrase?] = [
      account[WireProtocol.signInMember]?.int.flatMap {
        SignInReminder.phrase(by: $0, now: presentation.now, isUTC: presentation.isUTC)
      }
    ]
    if account[.refreshQueued]?.bool == true { remarks.append(Phrase("waiting for the network or the server")) }
    if account[.ephemeral]?.bool == true { remarks.append(ephemeral) }
    var problem = problem(account[.problem])
    if account[.state]?.string == SessionState.unreadable.rawValue, let text = problem?.english,
      !shown.insert(text).inserted
    {
      problem = nil
    }
    if account[.checkProblem] != account[.problem] { remarks.append(self.problem(account[.checkProblem])) }
    remarks.append(problem ?? (account[.inConfig]?.bool == false ? Phrase("not in config.json") : nil))
    return remarks.compactMap { $0 }
  }

  private static var ephemeral: Phrase { Phrase("in memory only: ends with the daemon") }

  /// An ANSI colour code.
  private static func colour(_ account: JSON) -> String {
    switch account[.state]?.string.flatMap(SessionState.init(rawValue:)) {
    case .active, .stale, .refreshing: "32"
    case .expired, .notKept, .unreadable: "31"
    case .locked, .offline: "33"
    case .signedOut, .signingIn, nil: ""
    }
  }

  static func allDetails(_ account: JSON, _ presentation: Presentation) -> String {
    var listing = Listing()
    func add(_ title: Phrase, _ value: Phrase?) {
      if let value { listing.add([Phrase("  \(title)"), value]) }
    }
    func add(_ title: Phrase, _ member: AccountMember) {
      add(title, account[member]?.string.map { Phrase(verbatim: $0) })
    }
    func expiry(_ member: AccountMember) -> Phrase? {
      account[member]?.int.map { RelativeTime.expiryPhrase(at: $0, now: presentation.now) }
    }
    add(Phrase("person"), .person)
    add(Phrase("state"), state(account, now: presentation.now))
    add(Phrase("session"), session(account, presentation))
    add(Phrase("renewal"), renewal(account))
    if account[.ephemeral]?.bool == true { add(Phrase("storage"), ephemeral) }
    add(Phrase("issuer"), .issuer)
    add(Phrase("directories"), directories(account).map { Phrase(verbatim: $0) })
    add(Phrase("client"), .clientID)
    add(Phrase("subject"), .subject)
    add(Phrase("scope"), .scope)
    add(Phrase("details"), details(account))
    if account[.protection]?.string != "device" { add(Phrase("protection"), .protection) }
    add(Phrase("secret"), expiry(.clientSecretExpiresAt))
    add(Phrase("certificate"), expiry(.certificateExpiresAt))
    add(Phrase("proxy"), .proxy)
    add(Phrase("ca file"), .caFile)
    if account[.httpLoopback]?.bool == true {
      add(Phrase("warning"), Phrase("plain http to this machine is allowed"))
    }
    add(Phrase("check"), check(account))
    if account[.problem] != account[.checkProblem] { add(Phrase("problem"), problem(account[.problem])) }
    let name = account[.name]?.string ?? "?"
    let title = account[.active]?.bool == true ? Phrase("\(name) (active account)") : Phrase(verbatim: name)
    return presentation.styled(title.localized(limit: 200), as: "1") + "\n"
      + listing.text(columns: presentation.columns)
  }

  /// The directories in which commands use the account.
  static func directories(_ account: JSON) -> String? {
    account[.directories]?.array?.compactMap(\.string).map { TerminalText.clean($0) }.joined(separator: " ")
  }

  /// The types of the authorization details (RFC 9396).
  private static func details(_ account: JSON) -> Phrase? {
    let types = (account[.authorizationDetails]?.array ?? []).compactMap { $0["type"]?.string }
    return types.isEmpty ? nil : Phrase(verbatim: types.joined(separator: ", "))
  }

  /// When the session ends, if known.
  private static func session(_ account: JSON, _ presentation: Presentation) -> Phrase? {
    if let end = account[WireProtocol.signInMember]?.int {
      return SignInReminder.phrase(by: end, now: presentation.now, isUTC: presentation.isUTC)
    }
    let ends = [account[.refreshTokenExpiresAt]?.int, account[.authorizationExpiresAt]?.int].compactMap(\.self)
    return ends.min().flatMap { SignInReminder.end(at: $0, isUTC: presentation.isUTC) }
  }

  /// Shown instead of the user's name if the session has no user.
  private static func unattendedNote(_ account: JSON) -> Phrase? {
    if account[.guest]?.bool == true { return Phrase("guest") }
    return account[.assertion]?.bool == true ? Phrase("by assertion") : nil
  }

  /// The session state, token expiry and latest refresh. `now` is in Unix seconds.
  private static func state(_ account: JSON, now: Int) -> Phrase {
    var state = stateName(account)
    if account[.guest]?.bool == true { state = Phrase("\(state) as a guest") }
    if account[.assertion]?.bool == true { state = Phrase("\(state) by assertion") }
    if let expiry = account[.expiresAt]?.int {
      state = Phrase("\(state), token \(RelativeTime.expiryPhrase(at: expiry, now: now))")
    }
    if let refresh = account[.lastRefresh]?.int {
      state = Phrase("\(state), refreshed \(RelativeTime.pastPhrase(refresh, now: now))")
    }
    return state
  }

  /// `active`, `stale` and `refreshing` are shown as "signed in".
  static func stateName(_ account: JSON) -> Phrase {
    let word = account[.state]?.string ?? "unknown"
    return switch SessionState(rawValue: word) {
    case .signedOut: Phrase("signed out")
    case .signingIn: Phrase("signing in")
    case .active, .stale, .refreshing: Phrase("signed in")
    case .expired: Phrase("expired")
    case .notKept: Phrase("not kept")
    case .locked: Phrase("locked")
    case .offline: Phrase("offline")
    case .unreadable: Phrase("unknown")
    case nil: Phrase(verbatim: word)
    }
  }

  static func needsSignIn(_ account: JSON) -> Bool {
    hasEnded(account) || account[.state]?.string == SessionState.notKept.rawValue
  }

  static func hasEnded(_ account: JSON) -> Bool { account[.state]?.string == SessionState.expired.rawValue }

  /// The refresh policy, unless it is the default, and whether a refresh waits for the network or server.
  private static func renewal(_ account: JSON) -> Phrase? {
    let policy = account[.refresh]?.string.flatMap { RefreshPolicy(rawValue: $0) }
    let name = policy.flatMap { $0 == .proactive ? nil : Phrase(verbatim: $0.rawValue) }
    guard account[.refreshQueued]?.bool == true else { return name }
    let waits = Phrase("waiting for the network or the server")
    return name.map { Phrase("\($0), \(waits)") } ?? waits
  }

  /// The result of `status --check`.
  private static func check(_ account: JSON) -> Phrase? {
    guard let word = account[.check]?.string else { return nil }
    return switch CheckResult(rawValue: word) {
    case .valid: Phrase("still valid at the server")
    case .signedOutElsewhere:
      account[.checkCause]?.string == "revoked"
        ? Phrase("revoked at the server") : Phrase("no longer valid at the server")
    case .notSignedIn: Phrase("not signed in")
    case .notPossible: Phrase("the server offers no way to check")
    case .failed: problem(account[.checkProblem]) ?? Phrase("no answer")
    case nil: Phrase(verbatim: word)
    }
  }

  /// An error object's message and hint.
  static func problem(_ problem: JSON?) -> Phrase? {
    guard let problem else { return nil }
    guard let failure = Failure(json: problem) else {
      return (problem["message"]?.string ?? problem.string).map { Phrase(known: $0) }
    }
    return failure.advice.map { Phrase("\(failure.text); try: \($0)") } ?? failure.text
  }
}
