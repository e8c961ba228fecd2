import Encoding
import Platform
import TestSupport
import Testing

/// Whether the server has replaced the refresh token is unknown (RFC 6749 section 6, RFC 9700 section 4.14.2).
@Suite(.needsPrograms) struct `An answer that is lost` {
  private typealias Fault = RotatingServer.Fault

  /// A new account, at a server that has received one request for it.
  private static func with(_ body: (AgentTree, RotatingServer) throws -> Void) throws {
    try RotatingServer.with { server in
      try AgentTree.with { tree in
        try tree.importAccount(at: server)
        try body(tree, server)
      }
    }
  }

  @Test(arguments: [RotatingServer.Fault.silence, .refusal])
  func `before its first byte is asked for once more, and the session goes on`(fault: RotatingServer.Fault) throws {
    try Self.with { (tree, server) throws in
      server.becomeLenient()
      server.fail(fault)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      #expect(server.refreshes.count == 3)
      #expect(server.endedGrants == 0)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
    }
  }

  @Test func `before its first byte is asked for once more, not twice`() throws {
    try Self.with { (tree, server) throws in
      server.becomeLenient()
      server.fail(.silence, .silence)
      let result = try tree.agent("token", "work", "--force-refresh", "--json")
      #expect(result.failed(4))
      #expect(result.failureCode == "network")
      #expect(server.refreshes.count == 3)
    }
  }

  @Test(arguments: [RotatingServer.Fault.statusLine, .halfBody])
  func `after it began is not asked for again by itself`(fault: RotatingServer.Fault) throws {
    try Self.with { (tree, server) throws in
      server.becomeLenient()
      let token = try tree.token()
      server.fail(fault)
      let result = try tree.agent("token", "work", "--force-refresh", "--json", "--wait", "30s")
      #expect(result.failed(4), "\(result.errorText)")
      #expect(server.refreshes.count == 2)
      #expect(try tree.token() == token)
      #expect(try tree.json("token", "work")["offline"] == true)
      #expect(server.refreshes.count == 2)
      #expect(try tree.token("work", "--force-refresh") != token)
      #expect(server.refreshes.count == 3)
      #expect(server.endedGrants == 0)
    }
  }

  @Test(arguments: [RotatingServer.Fault.statusLine, .halfBody, .silence])
  func `at a server that forgives nothing costs at most the session, and says so`(fault: RotatingServer.Fault) throws {
    try Self.with { (tree, server) throws in
      server.fail(fault)
      _ = try tree.agent("token", "work", "--force-refresh")
      let result = try tree.agent("token", "work", "--force-refresh", "--json")
      #expect(result.failed(3))
      #expect(result.failureCode == "session_expired")
      #expect(server.replays == 1)
      let sent = server.refreshes.count
      #expect(try tree.agent("token", "work").failed(3))
      #expect(server.refreshes.count == sent, "nothing is sent for a session that is over")
    }
  }

  /// Longer than other requests may take.
  private static let late = Duration.seconds(33)

  @Test func `for its caller, since it comes late, is stored, and nothing is sent twice`() throws {
    try Self.with { (tree, server) throws in
      server.fail(.hold)
      let first = try tree.agent("token", "work", "--force-refresh", "--timeout", "1s", "--json")
      #expect(first.failed(4) && first.failureCode == "timeout")
      let second = try tree.start(["token", "work", "--timeout", "120s"])
      Threads.sleep(for: Self.late)
      server.release()
      #expect(try second.wait() == .exited(0))
      #expect(server.refreshes.count == 2 && server.repeated == 0)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      #expect(server.replays == 0)
    }
  }

  @Test func `on a machine that stands still is read when it goes on`() throws {
    try Self.with { (tree, server) throws in
      server.fail(.hold)
      let caller = try tree.start(["token", "work", "--force-refresh", "--timeout", "120s"])
      try server.awaitHolding(1)
      let daemon = try OtherProcess(try tree.daemon())
      try daemon.signal(Signals.SIGSTOP)
      server.release()
      Threads.sleep(for: Self.late)
      try daemon.signal(Signals.SIGCONT)
      #expect(try caller.wait() == .exited(0))
      #expect(server.refreshes.count == 2 && server.replays == 0)
    }
  }

  // The daemon waits for the lock as long as its caller does.
  @Test func `to a private daemon that stands still keeps the daemon waiting, and both go on`() throws {
    try Self.with { (tree, server) throws in
      server.fail(.hold)
      let first = try tree.start(["token", "work", "--force-refresh", "--no-daemon", "--timeout", "120s"])
      try server.awaitHolding(1)
      let found = try ProcessRunner.shell("pgrep -P \(first.processID)").outputText.filter { $0 != "\n" }
      let daemon = try OtherProcess(try #require(Int32(found)))
      try daemon.signal(Signals.SIGSTOP)
      let second = try tree.start(["token", "work", "--force-refresh", "--timeout", "120s"])
      server.release()
      Threads.sleep(for: Self.late)
      try daemon.signal(Signals.SIGCONT)
      #expect(try first.wait() == .exited(0))
      #expect(try second.wait() == .exited(0))
      #expect(server.refreshes.count == 3 && server.replays == 0)
    }
  }

  @Test func `with the daemon, which is killed meanwhile, is asked for by the next one`() throws {
    try Self.with { (tree, server) throws in
      server.becomeLenient()
      server.fail(.hold)
      let caller = try tree.start(["token", "work", "--force-refresh"])
      try server.awaitHolding(1)
      try tree.killDaemon()
      server.release()
      _ = try caller.wait()
      #expect(try !tree.token().isEmpty)
      #expect(server.refreshes.count > 2 && server.endedGrants == 0)
    }
  }

  @Test func `to another process's refresh is not: each waits for the other and spends its own token`() throws {
    try Self.with { (tree, server) throws in
      server.fail(.hold)
      let first = try tree.start(["token", "work", "--force-refresh"])
      try server.awaitHolding(1)
      let second = try tree.start(["token", "work", "--force-refresh", "--no-daemon", "--timeout", "60s"])
      server.release()
      #expect(try first.wait() == .exited(0))
      #expect(try second.wait() == .exited(0))
      #expect(server.replays == 0)
      #expect(server.refreshes.count == 3)
    }
  }
}
