import Platform
import TestSupport
import Testing

@Suite(.needsProgramsForLong) struct `A daemon that is killed at any time` {
  /// `AGENT_KILL_ROUNDS`, by default as many as fit into a run of all tests.
  private static let rounds = Environment.value("AGENT_KILL_ROUNDS").flatMap { Int($0) } ?? 40

  /// The work in progress.
  private enum Work: CaseIterable {
    case refresh, refreshOfBoth, signIn

    func commands(_ issuer: Issuer) -> [[String]] {
      let token = ["--force-refresh", "--timeout", "20s"]
      let login = ["login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"]
      return switch self {
      case .refresh: [["token", "work"] + token]
      case .refreshOfBoth: [["token", "work"] + token, ["token", "home"] + token]
      case .signIn: [login + ["--device"], ["token", "home"] + token]
      }
    }
  }

  // A server that accepts the last token once more (RFC 9700 section 4.14.2), so that a response that arrived too late
  // to be stored is no loss. An even older token would be noticed, and end the session.
  @Test func `loses no session and goes back to no older token`() throws {
    try Issuer.with { issuer in
      try issuer.control("reuse_leeway", "3600")
      try AgentTree.with { tree in
        for account in ["work", "home"] { try tree.signIn(account, at: issuer.url) }
        var killedInTime = 0
        let begin = Instant.now
        for round in 0..<Self.rounds {
          let work = Work.allCases[round % Work.allCases.count]
          if try killOnce(tree, issuer, work) { killedInTime += 1 }
          for account in ["work", "home"] {
            let result = try tree.agent("token", account, "--force-refresh")
            try #require(result.succeeded, "round \(round), \(work): \(account): \(result.errorText)")
          }
        }
        let seconds = begin.duration(to: .now).components.seconds
        print(
          "kill: \(Self.rounds) rounds in \(seconds) s, \(killedInTime) before the end of the work, "
            + "\(try issuer.count("refreshes")) refreshes, \(try issuer.count("device_grants")) sign-ins")
        #expect(try issuer.count("reuse_detected") == 0)
        #expect(try issuer.count("refresh_failures") == 0)
        // Enough kills must have interrupted work for a meaningful result.
        #expect(killedInTime * 4 >= Self.rounds || Sanitizer.isOn)
        try tree.stopDaemon()
        let names = try tree.directory.open("state/agent").fileNames()
        #expect(!names.contains { $0.hasSuffix(".tmp") }, "the next write cleans up: \(names)")
      }
    }
  }

  /// Begins the work and kills the daemon some time later.
  ///
  /// - Returns: Whether some of the work was not done by then.
  private func killOnce(_ tree: AgentTree, _ issuer: Issuer, _ work: Work) throws -> Bool {
    let daemon = try OtherProcess(try tree.daemon())
    let running = try work.commands(issuer).map { try tree.start($0) }
    Threads.sleep(for: .microseconds(Int.random(in: 0..<40_000)))
    try daemon.signal(Signals.SIGKILL)
    try #require(daemon.ends(within: .testLimit))
    return try running.map { try $0.wait() != .exited(0) }.contains(true)
  }
}
