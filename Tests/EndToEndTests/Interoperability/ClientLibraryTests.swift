import AgentClient
import Encoding
import Platform
import TestSupport
import Testing

/// The library product against the real agent.
@Suite(.needsPrograms) struct `The client library` {
  @Test func `gives the token that the command prints, with its session`() throws {
    try Issuer.with(["--claim", "email=ann@example.com"]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url, "--scope", "openid email offline_access")
        var agent = try Agent(socket: tree.socketPath)
        let token = try agent.token()
        #expect(token.revealed() == (try tree.token()))
        #expect(token.type == "Bearer")
        #expect(token.session.account == "work" && token.session.issuer == issuer.url)
        #expect(token.session.claims["email"]?.text == "ann@example.com")
        #expect(token.session.subject == (try tree.json("whoami")["subject"]?.string))
        #expect(token.session.expiresAt == (try tree.json("token")["expires_at"]?.int))
        #expect(try agent.accounts().map(\.name) == ["work"])
        #expect(try agent.accounts().first?.state == .active)
        let renewed = try agent.token(for: "work", TokenOptions(forcesRefresh: true))
        #expect(renewed.revealed() != token.revealed())
      }
    }
  }

  @Test func `tells a person who must sign in from a server that is away`() throws {
    try Session.with { session in
      let sessions = AgentSessions(socket: session.tree.socketPath)
      let expired = TokenOptions(forcesRefresh: true)
      session.issuer.stop()
      #expect(Self.error(of: sessions, for: "work", expired)?.remedy == .tryLater)
      try sessions.signOut("work")
      let error = Self.error(of: sessions, for: "work")
      #expect(error == AgentError(.signIn, code: "signed_out", message: "work is signed out", hint: "agent login work"))
      let nobody = Self.error(of: sessions, for: "nobody")
      #expect(nobody?.remedy == .signIn && nobody?.code == "no_account")
      let wrong = Self.error(of: sessions, for: "no such name")
      #expect(wrong.map { $0.remedy == .fixProgram || $0.remedy == .signIn } == true)
    }
  }

  private static func error(
    of sessions: AgentSessions, for account: String? = nil, _ options: TokenOptions = TokenOptions()
  ) -> AgentError? {
    do throws(AgentError) { _ = try sessions.token(for: account, options) } catch { return error }
    return nil
  }

  private static func error(of session: RefreshableSession<AgentSessions>) -> AgentError? {
    do throws(AgentError) { _ = try session.token() } catch { return error }
    return nil
  }

  @Test func `goes on with the next daemon`() throws {
    try Session.with { session in
      let sessions = AgentSessions(socket: session.tree.socketPath)
      let before = try sessions.token().session
      try session.tree.stopDaemon()
      #expect(Self.error(of: sessions)?.code == "daemon_unavailable")
      try #require(try session.tree.agent("daemon", "start").succeeded)
      #expect(try sessions.token().session.subject == before.subject)
    }
  }

  @Test func `follows what happens, on a thread and in async code`() async throws {
    try await Self.withSession { tree in
      var events = try AgentEvents(socket: tree.socketPath)
      let stream = try AgentEvents.stream(of: "work", socket: tree.socketPath)
      _ = try tree.token("work", "--force-refresh")
      let event = try #require(try events.next())
      #expect(event.account == "work")
      guard case .refreshed(let expiry) = event.kind else {
        Issue.record("not a refresh: \(event)")
        return
      }
      #expect(expiry == (try tree.json("token")["expires_at"]?.int))
      var iterator = stream.makeAsyncIterator()
      #expect(try await iterator.next() == event)
      try tree.stopDaemon()
      #expect(try events.next() == nil)
      #expect(try await iterator.next() == nil)
    }
  }

  @Test func `stops to follow when its task is cancelled`() async throws {
    try await Self.withSession { tree in
      let stream = try AgentEvents.stream(socket: tree.socketPath)
      let task = Task { for try await _ in stream {} }
      task.cancel()
      // Ends at once, without an event.
      _ = try? await task.value
      #expect(task.isCancelled)
    }
  }

  /// ``Session/with(_:body:)`` for code that is `async`.
  private static func withSession(_ body: (AgentTree) async throws -> Void) async throws {
    let issuer = try Issuer.start()
    defer { issuer.stop() }
    let tree = try AgentTree.start()
    defer { tree.close() }
    try tree.signIn(at: issuer.url)
    try await body(tree)
  }

  // Design table of the session's life: "lifetime bound to the installation".
  @Test func `after a re-install old sessions do not come back`() throws {
    try Session.with { session in
      let tree = session.tree
      let sessions = AgentSessions(socket: tree.socketPath)
      let live = RefreshableSession("work", in: sessions)
      _ = try live.token()
      let first = try #require(try sessions.installation())
      #expect(try tree.json("status")["vault"]?["installation"]?.string == first.text)
      // A restart is no re-install.
      try tree.stopDaemon()
      try #require(try tree.agent("daemon", "start").succeeded)
      #expect(try sessions.installation() == first)
      // The state goes, and the settings stay: the account is there, signed out.
      try tree.stopDaemon()
      let vault = "state/agent/\(try tree.vaultName())"
      let old = try tree.directory.read(vault)
      try FileTree.remove(tree.path("state/agent"))
      try #require(try tree.agent("daemon", "start").succeeded)
      #expect(try sessions.installation() == nil)
      #expect(try sessions.accounts().map(\.state) == [.signedOut])
      let error = Self.error(of: live)
      #expect(error?.remedy == .signIn)
      // The same person signs in again: another installation, in which the old session object is over.
      try tree.signIn(at: session.issuer.url)
      let second = try #require(try sessions.installation())
      #expect(second != first)
      let changed = Self.error(of: live)
      #expect(changed?.remedy == .signIn && changed?.code == "installation_changed")
      // The old vault put back does not open with the new installation's secret.
      try tree.stopDaemon()
      try tree.directory.write(vault, old)
      try #require(try tree.agent("daemon", "start").succeeded)
      let foreign = Self.error(of: sessions, for: "work")
      #expect(foreign?.code == "foreign_device")
    }
  }
}
