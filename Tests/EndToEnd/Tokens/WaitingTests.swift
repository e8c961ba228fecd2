import Encoding
import Platform
import TestSupport
import Testing

/// The others still wait when a response arrives. The time limits only end a failing test.
@Suite(.needsPrograms, .serialized) struct `Those who wait` {
  /// A healthy account and local requests get responses while the connections of others stay unanswered.
  private static func expectService(_ session: Session, beside silent: SilentServers) throws {
    for command in [["list"], ["status"], ["token", "work", "--force-refresh"], ["lock"]] {
      let result = try session.tree.agent(command)
      #expect(result.succeeded, "\(command): \(result.errorText)")
    }
    #expect(try silent.areOpen(), "no exchange with a silent server has ended yet")
  }

  private static func expectStop(_ session: Session) throws {
    let begin = Instant.now
    try session.tree.stopDaemon()
    #expect(begin.duration(to: .now) < stopLimit)
  }

  /// Far less than a request may take, which is 30 seconds and more with its repetitions.
  private static let stopLimit = Duration.seconds(20)

  @Test func `999 accounts at 999 silent servers keep the thousandth waiting for nothing`() throws {
    try Session.with { session in
      let silent = try SilentServers(999)
      try session.tree.copyWork(as: "silent", from: session.issuer.url, to: silent.urls)
      let check = try session.tree.start(["status", "--check", "--timeout", "5m", "--json"])
      try silent.await(999)
      try Self.expectService(session, beside: silent)
      // The command would ask the next daemon.
      _ = try check.terminate(Signals.SIGKILL)
      try Self.expectStop(session)
    }
  }

  // The memory for a response is reserved during its exchange.
  @Test func `eight servers that never end the answers they began stop nobody else`() throws {
    try Session.with { session in
      let length = 64 << 10
      let silent = try SilentServers(
        8,
        beginning:
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n{\"access_token\":\"")
      try session.tree.copyWork(as: "open", from: session.issuer.url, to: silent.urls)
      let waiting = try (0..<8).flatMap { number in
        try (0..<4).map { try session.tree.start(["token", "open\(number)", "--scope", "s\($0)", "--timeout", "5m"]) }
      }
      try silent.await(8)
      try Self.expectService(session, beside: silent)
      for process in waiting { _ = try process.terminate(Signals.SIGKILL) }
      try Self.expectStop(session)
    }
  }

  @Test func `nor do refreshes whose token was sent`() throws {
    try Session.with { session in
      let urls = Array(repeating: session.issuer.url, count: 70)
      try session.tree.copyWork(as: "sent", from: session.issuer.url, to: urls)
      try session.issuer.control("hang", "token")
      let waiting = try (0..<70).map { try session.tree.start(["token", "sent\($0)", "--timeout", "5m"]) }
      try session.issuer.await("hangs", 70)
      #expect(try session.tree.agent("list").succeeded)
      #expect(try session.tree.agent("status").succeeded)
      for process in waiting { _ = try process.terminate(Signals.SIGKILL) }
      let daemon = try OtherProcess(try session.tree.daemon())
      let begin = Instant.now
      #expect(try session.tree.agent("daemon", "stop").succeeded)
      #expect(begin.duration(to: .now) < Self.stopLimit)
      #expect(!daemon.ends(within: .zero), "it stays for the refresh tokens that are on their way")
      try session.issuer.control("hang", "off")
      #expect(daemon.ends(within: .testLimit))
    }
  }

  @Test func `a stop waits for no revocation, which the next daemon asks for`() throws {
    try Session.with { session in
      let (tree, issuer) = (session.tree, session.issuer)
      let revocations = try issuer.count("revocations")
      let vault = "state/agent/" + (try tree.vaultName())
      let before = try tree.directory.read(vault)
      try issuer.silent {
        let logout = try tree.start(["logout", "work"])
        while try tree.directory.read(vault) == before { Threads.sleep(for: .milliseconds(5)) }
        try Self.expectStop(session)
        _ = try logout.wait()
      }
      #expect(try tree.agent("token", "work").failed(3))
      try issuer.await("revocations", revocations + 1)
    }
  }

  @Test func `a stop waits for a refresh token that is on its way, and the session goes on`() throws {
    try Session.with { session in
      let (tree, issuer) = (session.tree, session.issuer)
      try issuer.control("hang", "token")
      let waiting = try tree.start(["token", "work", "--force-refresh", "--timeout", "5m"])
      try issuer.await("hangs", 1)
      let daemon = try OtherProcess(try tree.daemon())
      try daemon.signal(Signals.SIGTERM)
      // The daemon has begun to stop when connections are refused.
      while (try? Peer(tree.socketPath)) != nil { Threads.sleep(for: .milliseconds(1)) }
      try issuer.control("hang", "off")
      _ = try waiting.wait()
      #expect(daemon.ends(within: .testLimit))
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      #expect(try issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `nor do many targets of an account`() throws {
    try Session.with { session in
      let silent = try SilentServers(2)
      try session.tree.copyWork(as: "silent", from: session.issuer.url, to: silent.urls)
      let waiting = try (0..<34).flatMap { number in
        try ["silent0", "silent1"].map { account in
          try session.tree.start(["token", account, "--scope", "s\(number)", "--timeout", "5m"])
        }
      }
      try silent.await(2)
      try Self.expectService(session, beside: silent)
      for process in waiting { _ = try process.terminate(Signals.SIGKILL) }
      try Self.expectStop(session)
    }
  }

  @Test(arguments: [["--issuer"], []]) func `a sign-in that is interrupted waits for no server any more`(
    way: [String]
  ) throws {
    try Session.with { session in
      let silent = try SilentServers(70)
      // Without the option the URL may be a resource's, which is contacted first.
      let logins = try silent.urls.enumerated().map { number, url in
        try session.tree.start(
          ["login"] + (way.isEmpty ? [url] : ["new\(number)", "--issuer", url, "--client-id", "agent-cli"])
            + ["--allow-http-loopback", "--device", "--json"])
      }
      try silent.await(70)
      for login in logins { try login.signal(Signals.SIGINT) }
      for login in logins { _ = try login.wait() }
      // The last connections would end by themselves after 30 seconds.
      try silent.awaitClosing(within: .seconds(20))
      #expect(try session.tree.agent("list").succeeded)
      #expect(try session.tree.agent("token", "work", "--force-refresh").succeeded)
      try Self.expectStop(session)
    }
  }

  @Test func `a secret that nobody writes keeps nobody waiting, and is closed with its connection`() throws {
    try Session.with { session in
      var writers: [SharedDescriptor] = []
      var peers: [Peer] = []
      for number in 0..<90 {
        let secret = try Pipe()
        let peer = try Peer(session.tree.socketPath)
        try peer.send(
          #"{"v":1,"request":"login","account":"new\#(number)","issuer":"\#(session.issuer.url)","client_id":"c","#
            + #""allow_http_loopback":true,"flow":"device","client_secret_descriptor":true}"# + "\n",
          passing: secret.reading)
        writers.append(SharedDescriptor(secret.writing))
        peers.append(peer)
      }
      #expect(try session.tree.agent("list").succeeded)
      #expect(try session.tree.agent("token", "work", "--force-refresh").succeeded)
      #expect(writers.allSatisfy { Self.hasReader($0) }, "the daemon still waits for the secrets")
      peers.removeLast(45)
      for writer in writers.suffix(45) {
        let deadline = Instant.now.advanced(by: .testLimit)
        while Self.hasReader(writer) { try #require(Instant.now < deadline, "a secret's descriptor stays open") }
      }
      #expect(writers.prefix(45).allSatisfy { Self.hasReader($0) })
      try Self.expectStop(session)
    }
  }

  /// Whether a pipe's reading end is open.
  private static func hasReader(_ writer: SharedDescriptor) -> Bool {
    (try? writer.descriptor.write([UInt8(ascii: "s")].span)) != nil
  }
}
