import AgentClient
import Platform
import Synchronization
import Testing

@Suite struct `A session that renews itself` {
  /// A clock that is set by hand, and a server that gives a new token each time.
  private final class World: Sendable {
    let time = Mutex(1000)
    let count = Mutex(0)

    func container() -> MemorySessions {
      let sessions = MemorySessions { self.time.withLock { $0 } }
      sessions.add(grant()) { [self] (_, _) throws(AgentError) in grant() }
      return sessions
    }

    func grant() -> MemorySessions.Grant {
      let number = count.withLock { count in
        count += 1
        return count
      }
      let session = Session(
        account: "work", issuer: "https://id.example", subject: "ann", expiresAt: time.withLock { $0 } + 300)
      return MemorySessions.Grant(token: "token-\(number)", session: session)
    }
  }

  /// Hands out tokens in the order of a list, and the last one from then on. Of their session the server says nothing.
  private final class Listed: SessionContainer {
    private let tokens: Monitor<[String]>
    /// How many callers have yet to ask for the installation before the first of them is answered.
    private let missing = Monitor(0)
    private let name = InstallationID.random()

    init(_ tokens: [String]) { self.tokens = Monitor(tokens) }

    func letMeet(_ count: Int) { missing.withLock { $0 = count } }

    var haveMet: Bool { missing.withLock { $0 == 0 } }

    func installation() -> InstallationID? {
      missing.update { $0 -= 1 }
      _ = missing.wait(.seconds(10)) { $0 <= 0 ? true : nil }
      return name
    }

    func token(for account: String?, _ options: TokenOptions) -> AccessToken {
      let text = tokens.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
      let bytes = Array(text.utf8)
      return AccessToken(bytes.span, session: Session(account: "work", issuer: "https://id.example"))
    }

    func accounts() -> [Account] { [] }

    func signOut(_ account: String?) {}
  }

  @Test func `hands out the token at hand until too little time is left`() throws {
    let world = World()
    let session = RefreshableSession(in: world.container(), TokenOptions(minimumValidity: .seconds(60)))
    #expect(try session.token().revealed() == "token-1")
    world.time.withLock { $0 += 240 }
    #expect(try session.token().revealed() == "token-1")
    world.time.withLock { $0 += 1 }
    let token = try session.token()
    #expect(token.revealed() == "token-2")
    #expect(token.session.expiresAt == 1541)
    #expect(session.latest == token.session)
  }

  @Test func `tells its handler of each renewal and of nothing else`() throws {
    let world = World()
    let told = Mutex<[Int?]>([])
    let session = RefreshableSession(in: world.container()) { session in
      told.withLock { $0.append(session.expiresAt) }
    }
    for _ in 0..<3 { _ = try session.token() }
    #expect(told.withLock { $0 } == [])
    world.time.withLock { $0 += 1000 }
    for _ in 0..<3 { _ = try session.token() }
    #expect(told.withLock { $0 } == [2300])
  }

  @Test(
    arguments: [
      // The last one is what an earlier request of another thread brings late.
      (["1"], 0), (["1", "2"], 1), (["1", "2", "3"], 2), (["1", "2", "1", "2", "1"], 1),
    ] as [([String], Int)])
  func `tells its handler of each new token once, also where the server says nothing of its time`(
    tokens: [String], count: Int
  ) throws {
    let told = Mutex(0)
    let session = RefreshableSession(in: Listed(tokens)) { _ in told.withLock { $0 += 1 } }
    for _ in 0..<7 { _ = try session.token() }
    #expect(told.withLock { $0 } == count)
  }

  @Test func `tells its handler once of a renewal that two threads find`() throws {
    let container = Listed(["1", "2"])
    let told = Monitor(0)
    let session = RefreshableSession(in: container) { _ in told.withLock { $0 += 1 } }
    _ = try session.token()
    container.letMeet(2)
    let found = WorkQueue<String>()
    for _ in 0..<2 {
      try Threads.start(name: "client-test") {
        do { found.push(try session.token().revealed()) } catch { found.push("\(error)") }
      }
    }
    let tokens = (0..<2).map { _ in found.pop(wait: .seconds(60)) }
    #expect(tokens == ["2", "2"])
    #expect(container.haveMet)
    #expect(told.withLock { $0 } == 1)
  }

  @Test func `tells nobody when the end of the same token is named anew, as after a change of the clock`() throws {
    let container = World().container()
    let told = Mutex(0)
    let session = RefreshableSession(in: container) { _ in told.withLock { $0 += 1 } }
    var known = try session.token().session
    known.expiresAt = 1290
    container.add(MemorySessions.Grant(token: "token-1", session: known))
    #expect(try session.token().session.expiresAt == 1290)
    #expect(session.latest == known)
    #expect(told.withLock { $0 } == 0)
  }

  @Test func `renews a rejected token once, and ends when the new one is rejected too`() throws {
    let world = World()
    let session = RefreshableSession(in: world.container())
    let answer = try session.send { (token) throws(AgentError) in
      token.revealed() == "token-1" ? .rejected : .answered(token.revealedAuthorization())
    }
    #expect(answer == "Bearer token-2")
    var tries = 0
    let expected = AgentError(
      .signIn, code: "token_refused", message: "the resource refuses the tokens of this session, new ones too")
    func send(to resource: String) {
      #expect(throws: expected) {
        try session.send(to: resource) { (_) throws(AgentError) -> RefreshableSession<MemorySessions>.Outcome<String> in
          tries += 1
          return .rejected
        }
      }
    }
    send(to: "api")
    #expect(tries == 2)
    // It has refused a fresh token, so no other is spent on it until there is another one.
    send(to: "api")
    #expect(tries == 3)
    #expect(try session.token().revealed() == "token-3")
    send(to: "other")
    #expect(tries == 5)
    #expect(try session.token().revealed() == "token-4")
    send(to: "api")
    #expect(tries == 7)
  }

  /// Also when nothing but the token tells the session there from the one before.
  @Test(arguments: [0, 1])
  func `does not go on in another installation, although the same person is signed in there`(seconds: Int) throws {
    let world = World()
    let container = world.container()
    let session = RefreshableSession("work", in: container)
    _ = try session.token()
    container.reinstall()
    #expect(throws: AgentError(.signIn, code: "no_account", message: "there is no such account")) {
      try session.token().revealed()
    }
    world.time.withLock { $0 += seconds }
    container.add(world.grant())
    let expected = AgentError(
      .signIn, code: "installation_changed", message: "the session is another installation's, please sign in again")
    for _ in 0..<2 { #expect(throws: expected) { try session.token().revealed() } }
    // One that begins there is that installation's.
    #expect(try RefreshableSession("work", in: container).token().revealed() == "token-2")
  }

  @Test func `needs a sign-in when it was signed out, or cannot be renewed`() throws {
    let world = World()
    let container = world.container()
    try container.signOut("work")
    #expect(throws: AgentError(.signIn, code: "signed_out", message: "work is signed out")) {
      try container.token().revealed()
    }
    #expect(container.accounts().map(\.state) == [.signedOut])
    container.add(world.grant())
    #expect(container.accounts().map(\.state) == [.active])
    world.time.withLock { $0 += 1000 }
    #expect(container.accounts().map(\.state) == [.expired])
    let expected = AgentError(.signIn, code: "session_expired", message: "session expired, please sign in again")
    #expect(throws: expected) { try container.token().revealed() }
  }
}
