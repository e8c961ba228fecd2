internal import Encoding
internal import Platform
internal import Sessions
internal import Wire

/// Sign-ins that continue in the background, and their results.
extension SignIns {
  struct BackgroundResult {
    let name: String
    let reply: Reply
    let endedAt: Instant
  }

  private static let resultLifetime = Duration.seconds(600)
  private static let maximumKeptResults = 32

  /// Responds to the request that started a background sign-in, which continues.
  func detach(_ login: Login, until expiry: Int) {
    guard login.isDetached else { return }
    let ticket = login.ticket
    login.ticket = .noRequest
    loop.send(.result(progressResult(login, expiry)), to: ticket)
  }

  /// Sends the result of a sign-in to the waiting request, and stores the result of a background sign-in.
  func conclude(_ login: Login, _ reply: Reply) {
    loop.send(reply, to: login.ticket)
    if endedAccounts.count >= Self.maximumKeptResults { endedAccounts.removeFirst() }
    endedAccounts.append((login.name, login.account))
    guard login.isDetached else { return }
    forgetEnded()
    if ended.count >= Self.maximumKeptResults { ended.removeFirst() }
    ended.append(BackgroundResult(name: login.name, reply: reply, endedAt: services.time.now()))
  }

  /// Waits for a background sign-in or reports its state.
  func resume(_ name: String, waits: Bool, _ ticket: Ticket) throws(Failure) {
    forgetEnded()
    guard let login = login(named: name) else {
      let reply = ended.first { Login.isSame($0.name, name) }?.reply
      guard let reply else {
        throw Failure(
          .unknownLogin, "no such sign-in: it has ended, or the daemon was restarted", hint: startHint(name))
      }
      return loop.send(reply, to: ticket)
    }
    guard waits else { return loop.send(.result(progressResult(login, login.expiry)), to: ticket) }
    if login.ticket != .noRequest {
      loop.send(.failure(Failure(.cancelled, "another command is now waiting for this sign-in")), to: login.ticket)
    }
    login.ticket = ticket
    if let event = login.event { loop.send(.event(event), to: ticket) }
  }

  /// The sign-ins that wait for the user, oldest first.
  ///
  /// - Parameter account: Nil for all accounts.
  func pendingSignIns(for account: AccountName?) -> [JSONObject] {
    logins.values.sorted { $0.id < $1.id }.compactMap { login in
      guard login.event != nil, account == nil || login.account == account else { return nil }
      let flow =
        switch login.event {
        case .browser(let browser): browser.mustPaste ? "paste" : "browser"
        case .confirm: "confirmation"
        default: "device"
        }
      return JSONObject([
        ("account", .string(login.account.text)), ("flow", .string(flow)), ("expires_at", .int(login.expiry)),
      ])
    }
  }

  /// Suggests starting a sign-in again.
  private func startHint(_ login: String) -> Phrase {
    let known = (try? settings())?.accounts.map(\.name) ?? []
    let account = endedAccounts.last { Login.isSame($0.name, login) }?.account
    let names = account.map { [$0] } ?? Array(known.prefix(3))
    let commands = names.map { "agent login \($0.text) --start" }
    return commands.count > 1 ? Phrase.choices(commands) : .command(commands.first ?? "agent login --start")
  }

  /// The background sign-in with this name, if in progress.
  func login(named name: String) -> Login? {
    logins.values.first { $0.isDetached && $0.isNamed(name) }
  }

  /// The result `{"login","account","state","expires_at"}` of a sign-in in progress.
  private func progressResult(_ login: Login, _ expiry: Int) -> JSONObject {
    JSONObject([
      ("login", .string(login.name)), ("account", .string(login.account.text)), ("state", "waiting"),
      ("expires_at", .int(expiry)),
    ])
  }

  /// Drops outdated results.
  private func forgetEnded() {
    let now = services.time.now()
    ended.removeAll { $0.endedAt.duration(to: now) > Self.resultLifetime }
  }
}
