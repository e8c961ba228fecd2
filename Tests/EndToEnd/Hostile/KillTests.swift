import Platform
import TestSupport
import Testing

@Suite(.needsProgramsForLong) struct `A daemon that is killed at any time` {
  /// The variable is `AGENT_KILL_ROUNDS`. The default fits into a run of all tests.
  private static let rounds = Environment.value("AGENT_KILL_ROUNDS").flatMap { Int($0) } ?? 40

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

  // This server accepts the last token once more (RFC 9700 section 4.14.2), so a response that arrives too late is no
  // loss. An even older token would end the session.
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

  /// Begins the work and kills the daemon some time later. Returns whether some work was not done by then.
  private func killOnce(_ tree: AgentTree, _ issuer: Issuer, _ work: Work) throws -> Bool {
    let daemon = try OtherProcess(try tree.daemon())
    let running = try work.commands(issuer).map { try tree.start($0) }
    Threads.sleep(for: .microseconds(Int.random(in: 0..<40_000)))
    try daemon.signal(Signals.SIGKILL)
    try #require(daemon.ends(within: .testLimit))
    return try running.map { try $0.wait() != .exited(0) }.contains(true)
  }
}

@Suite(.needsProgramsForLong) struct `A lease of which a program is killed at any time` {
  private static let rounds = Environment.value("AGENT_KILL_ROUNDS").flatMap { Int($0) } ?? 30
  private static let uses = 3

  private enum Victim: CaseIterable { case lease, daemon, owner }

  @Test func `is used no more often than it may be, and leaves no process and no socket`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      // A daemon that is killed while it refreshes may lose the new token.
      try resource.session.issuer.control("reuse_leeway", "3600")
      var answered: [Int] = []
      for round in 0..<Self.rounds {
        let victim = Victim.allCases[round % Victim.allCases.count]
        answered.append(try killOnce(resource, victim, "/round-\(round)"))
      }
      let tree = resource.tree
      #expect(try tree.agent("token", "--force-refresh").succeeded)
      let next = try tree.start(["serve", "work"])
      let path = try next.readLine()
      let sockets = try tree.shell("sh", "ls -d \"$XDG_RUNTIME_DIR\"/agent/leases/*/agent.sock").lines
      #expect(sockets.map(String.init) == [path])
      // The next daemon sends what a killed one has not sent.
      #expect(answered.contains { $0 > 0 } || Self.rounds < Victim.allCases.count, "\(answered)")
      // The daemon may have sent a request after its lease had ended.
      try tree.stopDaemon()
      for (round, count) in answered.enumerated() {
        let sent = resource.server.requests.count { $0.line.hasPrefix("GET /round-\(round) ") }
        #expect(count <= sent && sent <= Self.uses, "round \(round): \(count) of \(sent)")
      }
    }
  }

  /// Makes more requests than the lease permits, and kills one of its programs some time later.
  ///
  /// - Returns: The number of answered requests.
  private func killOnce(_ resource: Resource, _ victim: Victim, _ path: String) throws -> Int {
    let tree = resource.tree
    let owner = try tree.start(["serve", "work", "--times", "\(Self.uses)"])
    let peer = ["AGENT_SOCKET": try owner.readLine()]
    let children = try ProcessRunner.shell("pgrep -P \(owner.processID) -x agent-lease").outputText
    let server = try OtherProcess(#require(Int32(children.split(separator: "\n").first ?? ""), "\(children)"))
    let daemon = try OtherProcess(try tree.daemon())
    let running = try (0...Self.uses).map { _ in try tree.start(["request", resource.server.url(path)], peer) }
    Threads.sleep(for: .microseconds(Int.random(in: 0..<30_000)))
    switch victim {
    case .lease: try server.signal(Signals.SIGKILL)
    case .daemon:
      try daemon.signal(Signals.SIGKILL)
      try #require(daemon.ends(within: .testLimit))
    case .owner: try owner.signal(Signals.SIGKILL)
    }
    var answered = try running.count { try $0.wait() == .exited(0) }
    if victim == .daemon {
      // The lease continues at the next daemon with the remaining uses.
      let deadline = Instant.now.advanced(by: .testLimit)
      while !server.ends(within: .zero) {
        try #require(Instant.now < deadline, "\(owner.errorText)")
        if try tree.agent(["request", resource.server.url(path)], peer).succeeded { answered += 1 }
      }
    }
    #expect(server.ends(within: .testLimit))
    _ = try owner.wait()
    return answered
  }
}
