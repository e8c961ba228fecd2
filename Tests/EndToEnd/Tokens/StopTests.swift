import Encoding
import Platform
import TestSupport
import Testing

// Cutting a refresh would lose its new refresh token, so only the end of the process does so.
@Suite(.needsPrograms) struct `A refresh that is under way` {
  /// An account at a server that has received a refresh token and does not respond.
  private static func held(
    _ options: [String] = [], _ body: (AgentTree, RotatingServer, RunningProcess) throws -> Void
  ) throws {
    try RotatingServer.with { server in
      try AgentTree.with { tree in
        try tree.importAccount(at: server)
        server.fail(.hold)
        let caller = try tree.start(["token", "work", "--force-refresh", "--timeout", "120s"] + options)
        try server.awaitHolding(1)
        try body(tree, server, caller)
        server.release()
      }
    }
  }

  @Test func `outlives the stop of the daemon, and the next one waits for it`() throws {
    try Self.held { (tree, server, caller) throws in
      let process = try OtherProcess(try tree.daemon())
      let stopped = try tree.agent("daemon", "stop")
      #expect(stopped.succeeded && stopped.errorText.hasSuffix(": work\n"), "\(stopped.errorText)")
      #expect(try caller.wait() == .exited(4), "a person wants no other daemon")
      let next = try tree.start(["token", "work", "--timeout", "120s"])
      while try tree.daemons().count < 2 { Threads.sleep(for: .milliseconds(20)) }
      server.release()
      #expect(try next.wait() == .exited(0))
      #expect(process.ends(within: .testLimit))
      #expect(server.replays == 0 && server.repeated == 0 && server.endedGrants == 0)
    }
  }

  @Test func `outlives a restart, and its caller is answered by the next daemon`() throws {
    try Self.held { (tree, server, caller) throws in
      #expect(try tree.agent("daemon", "restart").succeeded)
      server.release()
      #expect(try caller.wait() == .exited(0))
      #expect(server.replays == 0 && server.repeated == 0)
    }
  }

  @Test(arguments: [Signals.SIGTERM, Signals.SIGINT, Signals.SIGHUP])
  func `is stored before a signal ends a command that has a daemon of its own`(signal: Int32) throws {
    try Self.held(["--no-daemon"]) { (tree, server, caller) throws in
      try caller.signal(signal)
      Threads.sleep(for: .milliseconds(300))
      server.release()
      #expect(try caller.wait() == .signalled(signal))
      // Nothing keeps running: in a container, the end of the command ends everything.
      let beside = try tree.agent("token", "work", "--force-refresh", "--no-daemon")
      #expect(beside.succeeded, "\(beside.errorText)")
      #expect(server.replays == 0 && server.repeated == 0)
    }
  }
}

@Suite(.needsPrograms) struct `SIGHUP` {
  @Test func `has the daemon read the settings again, and keeps its sessions and tokens`() throws {
    try RotatingServer.with { server in
      try AgentTree.with { tree in
        try tree.importAccount(at: server)
        let token = try tree.token()
        let daemon = try tree.daemon()
        let refreshes = server.refreshes.count
        for _ in 0..<3 { try Spawn.kill(daemon, Signals.SIGHUP) }
        #expect(try tree.token() == token)
        #expect(try tree.daemon() == daemon)
        #expect(server.refreshes.count == refreshes)
      }
    }
  }
}
