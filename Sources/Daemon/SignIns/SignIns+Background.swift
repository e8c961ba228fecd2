internal import Crypto
internal import Encoding
internal import Platform
internal import Sessions
internal import Vault
internal import Wire

/// Sign-ins that go on while nobody waits for them, and how each ended.
extension SignIns {
  /// What a sign-in in the background came to.
  struct EndedLogin {
    let name: String
    let reply: Reply
    let endedAt: Instant
  }

  /// For how long an end is remembered.
  private static let memory = Duration.seconds(600)
  private static let mostEnded = 32

  /// Lets a sign-in go on by itself, once there is something for a person to do.
  func detach(_ login: Login, until expiry: Int) {
    guard login.isDetached else { return }
    let ticket = login.ticket
    login.ticket = .nobody
    loop.send(.result(standing(login, expiry)), to: ticket)
  }

  /// The end of a sign-in: told to whoever waits for it, and kept when it was started in the background.
  func conclude(_ login: Login, _ reply: Reply) {
    loop.send(reply, to: login.ticket)
    guard login.isDetached else { return }
    forgetEnded()
    if ended.count >= Self.mostEnded { ended.removeFirst() }
    ended.append(EndedLogin(name: login.name, reply: reply, endedAt: services.time.now()))
  }

  func resume(_ request: LoginResumeRequest, _ ticket: Ticket) throws(Failure) {
    forgetEnded()
    guard let login = login(named: request.login) else {
      let reply = ended.first { Login.isSame($0.name, request.login) }?.reply
      guard let reply else {
        throw Failure(
          .unknownLogin, "there is no such sign-in: it ended a while ago, or the daemon was restarted since",
          hint: "agent login --start")
      }
      return loop.send(reply, to: ticket)
    }
    guard request.waits else { return loop.send(.result(standing(login, login.expiry)), to: ticket) }
    if login.ticket != .nobody {
      loop.send(.failure(Failure(.cancelled, "another command waits for this sign-in now")), to: login.ticket)
    }
    login.ticket = ticket
    if let event = login.event { loop.send(.event(event), to: ticket) }
  }

  /// The sign-in in the background that is called so, as long as it goes on.
  func login(named name: String) -> Login? {
    logins.values.first { $0.isDetached && $0.isNamed(name) }
  }

  /// `{"login","account","state","expires_at"}`.
  private func standing(_ login: Login, _ expiry: Int) -> JSONObject {
    JSONObject([
      ("login", .string(login.name)), ("account", .string(login.account.text)), ("state", "waiting"),
      ("expires_at", .int(expiry)),
    ])
  }

  private func forgetEnded() {
    let now = services.time.now()
    ended.removeAll { $0.endedAt.duration(to: now) > Self.memory }
  }
}
