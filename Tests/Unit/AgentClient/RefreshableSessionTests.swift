import AgentClient
import Platform
import Synchronization
import Testing

@Suite struct `A session that renews itself` {
  /// A manual clock, and a server that issues a new token each time.
  private final class World: Sendable {
    let time = Mutex(1000)
    let count = Mutex(0)

    func container() -> MemorySessions {
      let sessions = MemorySessions { self.time.withLock { $0 } }
      sessions.add(grant()) { [self] _, _ in grant() }
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

  /// Returns the listed tokens in order, then always the last, without details of their session.
  private final class Listed: SessionContainer {
    private struct Meeting: Sendable {
      /// How many callers must still ask before the first gets a response.
      var missing = 0
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let tokens: Monitor<[String]>
    private let meeting = Monitor(Meeting())
    private let name = InstallationID.random()

    init(_ tokens: [String]) { self.tokens = Monitor(tokens) }

    func letMeet(_ count: Int) { meeting.withLock { $0.missing = count } }

    var haveMet: Bool { meeting.withLock { $0.missing == 0 } }

    func installation() async -> InstallationID? {
      await withCheckedContinuation { continuation in
        let ready = meeting.withLock { meeting in
          meeting.missing -= 1
          meeting.waiting.append(continuation)
          guard meeting.missing <= 0 else { return [] as [CheckedContinuation<Void, Never>] }
          defer { meeting.waiting = [] }
          return meeting.waiting
        }
        for waiting in ready { waiting.resume() }
      }
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

  @Test func `hands out the token at hand until too little time is left`() async throws {
    let world = World()
    let session = RefreshableSession(in: world.container(), TokenOptions(minimumValidity: .seconds(60)))
    #expect(try await session.token().revealed() == "token-1")
    world.time.withLock { $0 += 240 }
    #expect(try await session.token().revealed() == "token-1")
    world.time.withLock { $0 += 1 }
    let token = try await session.token()
    #expect(token.revealed() == "token-2")
    #expect(token.session.expiresAt == 1541)
    #expect(session.latest == token.session)
  }

  @Test func `tells its handler of each renewal and of nothing else`() async throws {
    let world = World()
    let told = Mutex<[Int?]>([])
    let session = RefreshableSession(in: world.container()) { session in
      told.withLock { $0.append(session.expiresAt) }
    }
    for _ in 0..<3 { _ = try await session.token() }
    #expect(told.withLock { $0 } == [])
    world.time.withLock { $0 += 1000 }
    for _ in 0..<3 { _ = try await session.token() }
    #expect(told.withLock { $0 } == [2300])
  }

  @Test(
    arguments: [
      // The last one is the late response to an earlier request of another thread.
      (["1"], 0), (["1", "2"], 1), (["1", "2", "3"], 2), (["1", "2", "1", "2", "1"], 1),
    ] as [([String], Int)])
  func `tells its handler of each new token once, also where the server says nothing of its time`(
    tokens: [String], count: Int
  ) async throws {
    let told = Mutex(0)
    let session = RefreshableSession(in: Listed(tokens)) { _ in told.withLock { $0 += 1 } }
    for _ in 0..<7 { _ = try await session.token() }
    #expect(told.withLock { $0 } == count)
  }

  @Test func `tells its handler once of a renewal that two tasks find`() async throws {
    let container = Listed(["1", "2"])
    let told = Monitor(0)
    let session = RefreshableSession(in: container) { _ in told.withLock { $0 += 1 } }
    _ = try await session.token()
    container.letMeet(2)
    async let first = session.token().revealed()
    async let second = session.token().revealed()
    #expect(try await [first, second] == ["2", "2"])
    #expect(container.haveMet)
    #expect(told.withLock { $0 } == 1)
  }

  @Test func `tells nobody when the end of the same token is named anew, as after a change of the clock`() async throws
  {
    let container = World().container()
    let told = Mutex(0)
    let session = RefreshableSession(in: container) { _ in told.withLock { $0 += 1 } }
    var known = try await session.token().session
    known.expiresAt = 1290
    container.add(MemorySessions.Grant(token: "token-1", session: known))
    #expect(try await session.token().session.expiresAt == 1290)
    #expect(session.latest == known)
    #expect(told.withLock { $0 } == 0)
  }

  @Test func `renews a rejected token once, and ends when the new one is rejected too`() async throws {
    let world = World()
    let session = RefreshableSession(in: world.container())
    let answer = try await session.send { token in
      token.revealed() == "token-1" ? .rejected : .answered(token.revealedAuthorization())
    }
    #expect(answer == "Bearer token-2")
    var tries = 0
    let expected = AgentError(
      .signIn, code: "token_refused", message: "the resource rejects even new tokens of this session")
    func send(to resource: String) async {
      await #expect(throws: expected) {
        try await session.send(to: resource) { _ -> RefreshableSession<MemorySessions>.Outcome<String> in
          tries += 1
          return .rejected
        }
      }
    }
    await send(to: "api")
    #expect(tries == 2)
    // The API has rejected a fresh token, so none is requested for it until there is a new one.
    await send(to: "api")
    #expect(tries == 3)
    #expect(try await session.token().revealed() == "token-3")
    await send(to: "other")
    #expect(tries == 5)
    #expect(try await session.token().revealed() == "token-4")
    await send(to: "api")
    #expect(tries == 7)
  }

  private struct NoRoute: Error, Equatable {}

  @Test func `ends a request with the request's own error, and spends no other token on it`() async throws {
    let world = World()
    let session = RefreshableSession(in: world.container())
    await #expect(throws: NoRoute()) {
      try await session.send { _ -> RefreshableSession<MemorySessions>.Outcome<String> in throw NoRoute() }
    }
    #expect(try await session.token().revealed() == "token-1")
  }

  /// Even if only the token distinguishes the session from the previous one.
  @Test(arguments: [0, 1])
  func `does not go on in another installation, although the same person is signed in there`(seconds: Int) async throws
  {
    let world = World()
    let container = world.container()
    let session = RefreshableSession("work", in: container)
    let unused = RefreshableSession("work", in: container)
    for session in [session, unused] { _ = try await session.token() }
    container.reinstall()
    await #expect(throws: AgentError(.signIn, code: "no_account", message: "there is no such account")) {
      try await session.token().revealed()
    }
    world.time.withLock { $0 += seconds }
    container.add(world.grant())
    let expected = AgentError(
      .signIn, code: "installation_changed", message: "the session is another installation's, please sign in again")
    for session in [session, session, unused] {
      await #expect(throws: expected) { try await session.token().revealed() }
      #expect(session.latest == nil)
    }
    // A session that begins there belongs to that installation.
    #expect(try await RefreshableSession("work", in: container).token().revealed() == "token-2")
  }

  @Test func `needs a sign-in when it was signed out, or cannot be renewed`() async throws {
    let world = World()
    let container = world.container()
    try container.signOut("work")
    await #expect(throws: AgentError(.signIn, code: "signed_out", message: "work is signed out")) {
      try await container.token().revealed()
    }
    #expect(container.accounts().map(\.state) == [.signedOut])
    container.add(world.grant())
    #expect(container.accounts().map(\.state) == [.active])
    world.time.withLock { $0 += 1000 }
    #expect(container.accounts().map(\.state) == [.expired])
    let expected = AgentError(.signIn, code: "session_expired", message: "session expired, please sign in again")
    await #expect(throws: expected) { try await container.token().revealed() }
  }

  // MARK: Sign-out

  /// Everything that can be reached from a value, as text.
  private static func content(of value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  /// A session whose texts appear nowhere else.
  private static let person = Session(
    account: "work", issuer: "https://id.example", subject: "subject-of-ann", claims: ["name": .text("Ann Example")],
    scope: ["scope-of-ann"], expiresAt: 1300)

  private static func signedIn() -> MemorySessions {
    let container = MemorySessions { 1000 }
    container.add(MemorySessions.Grant(token: "token-of-ann", session: person))
    return container
  }

  private static func words(in value: Any) -> [String] {
    let content = content(of: value)
    return ["subject-of-ann", "Ann Example", "scope-of-ann", "token-of-ann"].filter { content.contains($0) }
  }

  @Test func `reaches nothing of the person after its sign-out, and no token before it`() async throws {
    let session = RefreshableSession(in: Self.signedIn())
    _ = try await session.token()
    #expect(session.latest == Self.person)
    #expect(Self.words(in: session) == ["subject-of-ann", "Ann Example", "scope-of-ann", "token-of-ann"])
    try await session.signOut()
    #expect(session.latest == nil)
    #expect(Self.words(in: session) == [])
  }

  @Test func `forgets the person when it finds that somebody else has ended the session`() async throws {
    let container = Self.signedIn()
    let session = RefreshableSession(in: container)
    _ = try await session.token()
    try container.signOut()
    #expect(session.latest == Self.person)
    await #expect(throws: AgentError(.signIn, code: "signed_out", message: "work is signed out")) {
      try await session.token().revealed()
    }
    #expect(session.latest == nil)
    #expect(Self.words(in: session) == [])
  }

  @Test func `keeps the person while a renewal fails for a reason that passes`() async throws {
    let container = MemorySessions { 1000 }
    container.add(MemorySessions.Grant(token: "token-of-ann", session: Self.person)) {
      (_, _) async throws(AgentError) in
      throw AgentError(.tryLater, code: "network", message: "no network")
    }
    let known = RefreshableSession(in: container)
    _ = try await known.token()
    var later = Self.person
    later.expiresAt = 1000
    container.add(MemorySessions.Grant(token: "token-of-ann", session: later)) { (_, _) async throws(AgentError) in
      throw AgentError(.tryLater, code: "network", message: "no network")
    }
    await #expect(throws: AgentError(.tryLater, code: "network", message: "no network")) {
      try await known.token().revealed()
    }
    #expect(known.latest == Self.person)
  }

  @Test func `tells its handler of no renewal at the sign-in after a sign-out`() async throws {
    let container = Self.signedIn()
    let told = Mutex(0)
    let session = RefreshableSession(in: container) { _ in told.withLock { $0 += 1 } }
    _ = try await session.token()
    try await session.signOut()
    container.add(MemorySessions.Grant(token: "token-of-bob", session: Self.person))
    _ = try await session.token()
    #expect(told.withLock { $0 } == 0)
    container.add(MemorySessions.Grant(token: "token-of-bob-2", session: Self.person))
    _ = try await session.token()
    #expect(told.withLock { $0 } == 1)
  }
}
