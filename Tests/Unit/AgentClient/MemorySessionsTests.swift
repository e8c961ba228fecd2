import AgentClient
import Synchronization
import Testing

@Suite struct `Sessions in the memory of a program` {
  /// Sessions with a grant that expires 60 seconds after the fixed time 1000.
  private static func sessions(refresh: MemorySessions.RefreshHandler?) -> MemorySessions {
    let sessions = MemorySessions { 1000 }
    sessions.add(grant("first"), refresh: refresh)
    return sessions
  }

  private static func grant(_ token: String, lifetime: Int = 60) -> MemorySessions.Grant {
    MemorySessions.Grant(
      token: token,
      session: Session(account: "work", issuer: "https://id.example", subject: "ann", expiresAt: 1000 + lifetime))
  }

  private static let signedOut = AgentError(.signIn, code: "signed_out", message: "work is signed out")

  @Test(
    arguments: [
      (nil, "first"), (.seconds(60), "first"), (.milliseconds(59_001), "first"), (.milliseconds(60_001), "second"),
      (.seconds(61), "second"), (.seconds(-1), "first"),
    ] as [(Duration?, String)])
  func `are renewed when less than the wanted time is left, counted in whole seconds`(
    wanted: Duration?, token: String
  ) async throws {
    let sessions = Self.sessions { _, _ in Self.grant("second") }
    #expect(try await sessions.token(for: "work", TokenOptions(minimumValidity: wanted)).revealed() == token)
  }

  @Test func `give out no token whose time is over, also where no time is wanted`() async throws {
    let sessions = MemorySessions { 1000 }
    sessions.add(Self.grant("first", lifetime: 0)) { _, _ in Self.grant("second") }
    #expect(try await sessions.token(for: "work", TokenOptions(minimumValidity: .zero)).revealed() == "second")
  }

  private final class Kept: Sendable {}

  @Test func `let go of what renews them at the sign-out, and keep the account`() async throws {
    weak var kept: Kept?
    let sessions: MemorySessions
    do {
      let held = Kept()
      kept = held
      sessions = Self.sessions { _, _ in withExtendedLifetime(held) { Self.grant("second") } }
    }
    let before = kept != nil
    try sessions.signOut("work")
    let after = kept != nil
    #expect([before, after] == [true, false])
    await #expect(throws: Self.signedOut) { try await sessions.token().revealed() }
    let expected = Account(name: "work", isActive: true, issuer: "https://id.example", state: .signedOut)
    #expect(sessions.accounts() == [expected])
  }

  private struct NoRoute: Error {}

  @Test func `fail with the renewal's own error, and with one of the agent's for any other`() async throws {
    let offline = AgentError(.tryLater, code: "network", message: "no network")
    let failing = Self.sessions { _, _ in throw offline }
    await #expect(throws: offline) { try await failing.token(TokenOptions(forcesRefresh: true)).revealed() }
    let broken = Self.sessions { _, _ in throw NoRoute() }
    await #expect(throws: AgentError(.none, code: "internal_error", message: "the renewal failed: NoRoute()")) {
      try await broken.token(TokenOptions(forcesRefresh: true)).revealed()
    }
    let cancelled = Self.sessions { _, _ in throw CancellationError() }
    await #expect(throws: AgentError(.none, code: "cancelled", message: "the task was cancelled")) {
      try await cancelled.token(TokenOptions(forcesRefresh: true)).revealed()
    }
  }

  @Test func `stay signed out when a renewal ends after the sign-out`() async throws {
    let container = Mutex<MemorySessions?>(nil)
    let sessions = Self.sessions { _, _ in
      try container.withLock { $0 }?.signOut("work")
      return Self.grant("second")
    }
    container.withLock { $0 = sessions }
    await #expect(throws: Self.signedOut) { try await sessions.token(TokenOptions(forcesRefresh: true)).revealed() }
    await #expect(throws: Self.signedOut) { try await sessions.token().revealed() }
    container.withLock { $0 = nil }
  }
}
