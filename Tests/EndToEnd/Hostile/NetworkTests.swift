import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsProgramsForLong) struct `A server that is away` {
  private static func with(_ options: String..., body: (AgentTree, RotatingServer) throws -> Void) throws {
    try RotatingServer.with { server in
      try AgentTree.with { tree in
        try tree.importAccount(at: server)
        if !options.isEmpty {
          let result = try tree.agent(["account", "set", "work"] + options)
          try #require(result.succeeded, "\(result.errorText)")
        }
        try body(tree, server)
      }
    }
  }

  @Test func `leaves a token good, marked, and its refresh queued until it is back`() throws {
    try Self.with("--refresh", "offline") { (tree, server) throws in
      let token = try tree.token()
      #expect(try tree.json("token", "work")["offline"] == nil)
      server.close()
      #expect(try tree.agent("token", "work", "--force-refresh").failed(4))
      let answer = try tree.json("token", "work")
      #expect(answer["access_token"]?.string == token)
      #expect(answer["offline"] == true)
      #expect(try tree.agent("token", "work", "--verbose").errorText.contains("using the cached token until"))
      let status = try tree.status()
      #expect(status["state"] == "offline" && status["refresh"] == "offline" && status["refresh_queued"] == true)
      #expect(status["problem"]?["code"] == "network")
      #expect(try tree.agent("status").outputText.contains("waiting for the network or the server"))
      try server.open()
      try server.awaitRefreshes(2)
      try tree.awaitStatus { $0["state"] == "active" }
      #expect(try tree.status()["refresh_queued"] == nil)
      #expect(try tree.json("token", "work")["offline"] == nil)
      #expect(try tree.token() != token)
      #expect(server.refreshes.count == 2, "one refresh came of it all")
    }
  }

  @Test func `is waited for by a command that a token is for`() throws {
    try Self.with { (tree, server) throws in
      try tree.stopDaemon()
      server.close()
      // This starts the daemon, which has lost its tokens.
      #expect(try tree.agent("token", "work").failed(4))
      let caller = try tree.start(["exec", "work", "--wait", "60s", "--", "sh", "-c", "echo $AGENT_ACCOUNT"])
      try tree.awaitEvent("refresh_queued", of: "work")
      try server.open()
      #expect(try caller.readLine() == "work")
      #expect(try caller.wait() == .exited(0), "\(caller.errorText)")
    }
  }

  @Test func `is waited for by those who say so, and asked once`() throws {
    try Self.with { (tree, server) throws in
      server.close()
      let callers = try (0..<5).map { _ in
        try tree.start(["token", "work", "--force-refresh", "--wait", "10m", "--json"])
      }
      try tree.awaitConnections(5)
      try tree.awaitEvent("refresh_queued", of: "work")
      try server.open()
      var tokens: Set<String> = []
      for caller in callers {
        tokens.insert(try JSON(parsing: Array(caller.readLine().utf8))["access_token"]?.string ?? "")
        #expect(try caller.wait() == .exited(0), "\(caller.errorText)")
      }
      #expect(tokens.count == 1)
      #expect(server.refreshes.count == 2)
    }
  }

  @Test func `is waited for no longer than was said`() throws {
    try Self.with { (tree, server) throws in
      server.close()
      let begin = Instant.now
      let result = try tree.agent("token", "work", "--force-refresh", "--wait", "4s", "--json")
      #expect(result.failed(4))
      #expect(result.failureCode == "network")
      #expect(begin.duration(to: .now) >= .seconds(4))
      // An attempt in progress completes first.
      try tree.awaitStatus { $0["refresh_queued"] == nil }
    }
  }

  @Test func `is not waited for by who has gone`() throws {
    try Self.with("--refresh", "on-demand") { (tree, server) throws in
      server.close()
      let caller = try tree.start(["token", "work", "--force-refresh", "--wait", "10m"])
      try tree.awaitEvent("refresh_queued", of: "work")
      try caller.signal(Signals.SIGINT)
      #expect(try caller.wait() != .exited(0))
      try server.open()
      try tree.awaitStatus { $0["refresh_queued"] == nil }
      #expect(server.refreshes.count == 1)
    }
  }

  @Test func `is waited for by a request, which is then made once`() throws {
    let resource = try LoopbackServer { conversation in
      while try conversation.readRequest() != nil { try conversation.respond(body: "hello") }
    }
    try Self.with { (tree, server) throws in
      try tree.allow(resource)
      try tree.stopDaemon()
      server.close()
      #expect(try tree.agent("request", resource.url("/x")).failed(4))
      let caller = try tree.start(["request", resource.url("/x"), "--wait", "60s"])
      try tree.awaitEvent("refresh_queued", of: "work")
      try server.open()
      #expect(try caller.wait() == .exited(0), "\(caller.errorText)")
      #expect(resource.requests.count == 1)
      #expect(server.refreshes.count == 2)
    }
  }

  @Test func `is waited for also where it is the resource`() throws {
    try Self.with { (tree, server) throws in
      let port = try LoopbackServer.unusedPort()
      let address = "http://127.0.0.1:\(port)"
      let set = try tree.agent("account", "set", "work", "--host", address)
      try #require(set.succeeded, "\(set.errorText)")
      #expect(try tree.agent("request", address + "/x").failed(4))
      let caller = try tree.start(["request", address + "/x", "--wait", "60s", "--verbose"])
      let deadline = Instant.now.advanced(by: .testLimit)
      while !caller.errorText.contains("resource: GET \(address): failed after ") {
        try #require(Instant.now < deadline, "\(caller.errorText)")
        Threads.sleep(for: .milliseconds(20))
      }
      let listener = try UnixSocket.listenLoopback(port: port)
      try #require(try listener.waitUntilReadable(timeout: .testLimit))
      let peer = try Conversation(UnixSocket.accept(listener), number: 1) { _ in }
      _ = try peer.readRequest()
      try peer.respond(body: "hello")
      #expect(try caller.wait() == .exited(0), "\(caller.errorText)")
    }
  }

  @Test func `does not set off a storm when it is back`() throws {
    try RotatingServer.with { server in
      try AgentTree.with { tree in
        for number in 0..<20 { try tree.importAccount("a\(number)", at: server, "--refresh", "offline") }
        let before = server.refreshes.count
        server.close()
        for number in 0..<20 { _ = try tree.agent("token", "a\(number)", "--force-refresh") }
        try server.open()
        try server.awaitRefreshes(before + 20)
        for number in 0..<20 { try tree.awaitStatus(of: "a\(number)") { $0["state"] == "active" } }
        #expect(server.refreshes.count == before + 20)
        #expect((1...8).contains(server.mostUnderWay), "\(server.mostUnderWay)")
      }
    }
  }
}
