internal import Encoding
internal import Platform
internal import Sessions
internal import Wire

/// Sign-ins that continue in the background, and their results.
extension SignIns {
  struct BackgroundResult {
    let loginID: String
    let reply: Reply
    let endedAt: Instant
  }

  private static let resultLifetime = Duration.seconds(600)
  private static let maximumKeptResults = 32

  /// Answers a background sign-in's request while the sign-in continues. `expiry`, of the user's step, is in unix
  /// seconds.
  func detach(_ login: Login, until expiry: Int) {
    guard login.isDetached else { return }
    let ticket = login.ticket
    login.ticket = .noRequest
    loop.send(.result(progressResult(login, expiry)), to: ticket)
  }

  /// Sends the result, and keeps that of a background sign-in.
  func sendResult(of login: Login, _ reply: Reply) {
    loop.send(reply, to: login.ticket)
    if recentlyEnded.count >= Self.maximumKeptResults { recentlyEnded.removeFirst() }
    recentlyEnded.append((login.loginID, login.account))
    guard login.isDetached else { return }
    dropOutdatedResults()
    if backgroundResults.count >= Self.maximumKeptResults { backgroundResults.removeFirst() }
    backgroundResults.append(BackgroundResult(loginID: login.loginID, reply: reply, endedAt: services.time.now()))
  }

  /// Waits for a background sign-in, or reports its state if `waits` is false.
  func resume(_ loginID: String, waits: Bool, _ ticket: Ticket) throws(Failure) {
    dropOutdatedResults()
    guard let login = login(withID: loginID) else {
      let reply = backgroundResults.first { Login.isSame($0.loginID, loginID) }?.reply
      guard let reply else {
        throw Failure(
          .unknownLogin, "no such sign-in: it has ended, or the daemon was restarted", hint: startHint(loginID))
      }
      return loop.send(reply, to: ticket)
    }
    guard waits else { return loop.send(.result(progressResult(login, login.stepExpiry)), to: ticket) }
    if login.ticket != .noRequest {
      loop.send(.failure(Failure(.cancelled, "another command is now waiting for this sign-in")), to: login.ticket)
    }
    login.ticket = ticket
    if let event = login.nextStep { loop.send(.event(event), to: ticket) }
  }

  /// The account's sign-ins, or all if nil, that wait for the user, oldest first.
  func pendingSignIns(for account: AccountName?) -> [JSONObject] {
    logins.values.sorted { $0.number < $1.number }.compactMap { login in
      guard login.nextStep != nil, account == nil || login.account == account else { return nil }
      let flow =
        switch login.nextStep {
        case .browser(let browser): browser.mustPaste ? "paste" : "browser"
        case .confirm: "confirmation"
        default: "device"
        }
      return JSONObject([
        ("account", .string(login.account.text)), ("flow", .string(flow)), ("expires_at", .int(login.stepExpiry)),
      ])
    }
  }

  private func startHint(_ loginID: String) -> Phrase {
    let known = (try? settings())?.accounts.map(\.name) ?? []
    let account = recentlyEnded.last { Login.isSame($0.loginID, loginID) }?.account
    let names = account.map { [$0] } ?? Array(known.prefix(3))
    let commands = names.map { "agent login \($0.text) --start" }
    return commands.count > 1 ? Phrase.choices(commands) : .command(commands.first ?? "agent login --start")
  }

  /// The background sign-in with this ID.
  func login(withID loginID: String) -> Login? {
    logins.values.first { $0.isDetached && $0.hasLoginID(loginID) }
  }

  /// `{"login","account","state","expires_at"}`. `expiry` is in unix seconds.
  private func progressResult(_ login: Login, _ expiry: Int) -> JSONObject {
    JSONObject([
      ("login", .string(login.loginID)), ("account", .string(login.account.text)), ("state", "waiting"),
      ("expires_at", .int(expiry)),
    ])
  }

  private func dropOutdatedResults() {
    let now = services.time.now()
    backgroundResults.removeAll { $0.endedAt.duration(to: now) > Self.resultLifetime }
  }
}
