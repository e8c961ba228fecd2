import Encoding
import Platform
import TestSupport
import Testing

/// Limits of the user and of the program that started the daemon.
@Suite(.needsPrograms, .serialized) struct `At its limits the daemon` {
  @Test func `has places for local questions when 256 callers wait, and tells the others why not`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.signIn("other", at: session.issuer.url)
      let silent = try SilentServers(1)
      try tree.copyWork(as: "silent", from: session.issuer.url, to: silent.urls)
      try session.issuer.control("hang", "token")
      let waiting = try (0..<256).map { _ in try Peer(tree.socketPath) }
      for (number, peer) in waiting.enumerated() {
        let account = number < 128 ? "work" : "silent0"
        _ = try peer.send(
          Array(#"{"v":1,"request":"token","account":"\#(account)","force_refresh":true}"#.utf8) + [0x0A])
      }
      try session.issuer.await("hangs", 1)
      try silent.await(1)
      let local = [
        ["list"], ["status"], ["daemon", "status"], ["vault", "status"], ["use", "other"], ["account", "show", "work"],
        ["lock"], ["logout", "other"],
      ]
      for command in local {
        let result = try tree.agent(command)
        #expect(result.succeeded, "\(command): \(result.errorText)")
      }
      let refused = try tree.agent("token", "work", "--json")
      #expect(refused.failed(4))
      #expect(refused.failure?["code"] == "too_busy")
      #expect(refused.failure?["message"]?.string?.contains("256 requests are already waiting for an answer") == true)
      #expect(try waiting.allSatisfy { try !$0.hasAnswer }, "those who came first still wait")
      try tree.stopDaemon()
    }
  }

  /// Starts a daemon that has peers and no descriptor left.
  private static func crowd(_ tree: AgentTree) throws -> (daemon: Int32, peers: [Peer]) {
    _ = try tree.json("daemon", "start")
    let daemon = try tree.daemon()
    let peers = try (0..<4).map { _ in try Peer(tree.socketPath) }
    // None of the peers is idle, so none can be dropped.
    for peer in peers { _ = try peer.ask(#"{"v":1,"request":"events","follow":true}"#) }
    let open = try ProcessRunner.shell("ls /proc/\(daemon)/fd").lines.compactMap { Int($0) }
    try setDescriptors(of: daemon, try #require(open.max()) + 1)
    return (daemon, peers)
  }

  @Test func `waits for a free descriptor without using the processor`() throws {
    try AgentTree.with { tree in
      let (daemon, peers) = try Self.crowd(tree)
      // The daemon may release a descriptor for a moment, which the first of them gets.
      let all = try (0..<4).map { _ in try Peer(tree.socketPath) }
      for peer in all { _ = try peer.send(Array(#"{"v":1,"request":"daemon_status"}"#.utf8) + [0x0A]) }
      let late = try #require(all.last)
      let before = try Self.processorTicks(of: daemon)
      // No event can be awaited: the test checks that nothing happens.
      Threads.sleep(for: .seconds(2))
      #expect(try Self.processorTicks(of: daemon) - before < 50, "half a second of two")
      #expect(try !late.hasAnswer)
      try Self.setDescriptors(of: daemon, 1024)
      #expect(try late.readLine()?.contains("pid") == true)
      withExtendedLifetime(peers) {}
    }
  }

  @Test func `tells those who wait long for a descriptor that there is none`() throws {
    try AgentTree.with { tree in
      let (daemon, peers) = try Self.crowd(tree)
      let late = try (0..<4).map { _ in try Peer(tree.socketPath) }
      for command in [["list", "--json"], ["token", "work"]] {
        let result = try tree.agent(command)
        #expect(
          result.failed(4) && result.errorText.contains("the daemon cannot open more connections"),
          "\(result.errorText)")
      }
      #expect(try late.last?.readLine()?.contains(#""code":"too_busy""#) == true)
      try Self.setDescriptors(of: daemon, 1024)
      #expect(try tree.agent("list").succeeded)
      withExtendedLifetime(peers) {}
    }
  }

  @Test func `refuses the peers of a lease while it has no free descriptor, without using the processor`() throws {
    try Session.with { session in
      try #require(session.tree.agent("account", "set", "work", "--host", "https://api.example").succeeded)
      let serving = try session.tree.start(["serve", "work"])
      let path = try serving.readLine()
      let daemon = try session.tree.daemon()
      let request = Array(#"{"v":1,"request":"lease_status"}"#.utf8) + [0x0A]
      // None becomes free: the daemon holds the lowest numbers from its start to its end.
      try Self.setDescriptors(of: daemon, 4)
      let late = try (0..<12).map { _ in try Peer(path) }
      for peer in late { _ = try peer.send(request) }
      for peer in late { #expect(try peer.readLine()?.contains("\"hint\":\"try again") == true) }
      let before = try Self.processorTicks(of: daemon)
      // No event can be awaited: the test checks that nothing happens.
      Threads.sleep(for: .seconds(2))
      #expect(try Self.processorTicks(of: daemon) - before < 50, "half a second of two")
      try Self.setDescriptors(of: daemon, 1024)
      let deadline = Instant.now.advanced(by: .testLimit)
      var answer: String?
      repeat {
        let peer = try Peer(path)
        _ = try peer.send(request)
        answer = try peer.readLine()
      } while answer?.contains("places") != true && Instant.now < deadline
      #expect(answer?.contains("places") == true, "\(answer ?? "no answer")")
      #expect(try serving.terminate() == .exited(0))
    }
  }

  private static func setDescriptors(of process: Int32, _ count: Int) throws {
    let result = try ProcessRunner.run(
      executable: "/usr/bin/prlimit", arguments: ["--pid", "\(process)", "--nofile=\(count):"])
    try #require(result.succeeded, "\(result.errorText)")
  }

  /// The processor time of a process, in hundredths of a second (proc(5), utime and stime).
  private static func processorTicks(of process: Int32) throws -> Int {
    let stat = try #require(ProcessFiles.text("stat", of: process))
    let fields = try #require(stat.split(separator: ")").last).split(separator: " ")
    return try #require(Int(fields[11])) + #require(Int(fields[12]))
  }

  @Test func `closes descriptors that no request claims`() throws {
    try AgentTree.with { tree in
      _ = try tree.json("daemon", "start")
      var peers: [Peer] = []
      let handed = try Pipe()
      for _ in 0..<200 {
        let peer = try Peer(tree.socketPath)
        for _ in 0..<8 {
          // Beyond its limit, the daemon disconnects.
          guard (try? peer.send(" ", passing: handed.reading)) != nil else { break }
        }
        peers.append(peer)
        #expect(try tree.json("daemon", "status")["pid"] != nil)
      }
      let open = try ProcessRunner.shell("ls /proc/\(try tree.daemon())/fd").lines.count
      #expect(open < 900, "\(open) descriptors")
    }
  }

  @Test func `keeps no descriptor of requests whose senders read nothing when their bodies are asked for`() throws {
    try Session.with { session in
      let tree = session.tree
      func openDescriptors() throws -> Int { try ProcessRunner.shell("ls /proc/\(try tree.daemon())/fd").lines.count }
      let before = try openDescriptors()
      // Sending to a peer that has shut down its reading side fails at once.
      let script = """
        import socket, sys
        for _ in range(200):
          peer = socket.socket(socket.AF_UNIX)
          peer.connect(sys.argv[1])
          peer.shutdown(socket.SHUT_RD)
          peer.sendall(b'{"v":1,"request":"resource","account":"work","url":"https://127.0.0.1:1/",'
                       b'"inline":true,"body_lines":true}\\n')
        """
      let result = try ProcessRunner.run(
        executable: "/usr/bin/python3", arguments: ["-c", script, tree.socketPath], environment: [])
      try #require(result.succeeded, "\(result.errorText)")
      let deadline = Instant.now.advanced(by: .testLimit)
      while try openDescriptors() > before + 16, Instant.now < deadline { Threads.sleep(for: .milliseconds(20)) }
      #expect(try openDescriptors() <= before + 16)
    }
  }

  @Test(.enabled(if: Machine.userID == 0 && !Programs.areSanitized, "only root can be two users"))
  func `says why it cannot start where the user may have no thread more`() throws {
    // A separate user, because processes of others count too.
    try OtherUser.with(userID: 64_999) { user in
      // Enough for the client and the daemon, but for no thread of the daemon.
      let result = try user.agent(["list"], in: ["/usr/bin/prlimit", "--nproc=2"])
      #expect(result.failed(4))
      #expect(
        result.errorText.contains("agentd failed to start: the system allows no more threads or processes"),
        "\(result.errorText)")
      #expect(try user.agent("list").succeeded)
    }
  }

  @Test func `is not ruled by its first caller's, and names those that it cannot raise`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let limits = "ulimit -S -t 900; ulimit -S -f 1; ulimit -S -n 24; ulimit -S -s 256; ulimit -t 100000"
        let start = try tree.shell("bash", "\(limits); agent daemon start --quiet")
        try #require(start.succeeded, "\(start.errorText)")
        let status = try tree.json("daemon", "status")["limits"]
        #expect(status?["processor_seconds"] == 100000)
        #expect(status?["file_bytes"] == nil)
        #expect(try #require(status?["descriptors"]?.int) > 24)
        #expect(try #require(status?["stack_bytes"]?.int) > 256 << 10)
        #expect(
          try tree.agent("daemon", "status").outputText.contains(
            "limited by the program that started it: processor_seconds 100000"))
        try tree.signIn(at: issuer.url)
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
      }
    }
  }

  @Test(arguments: ["0", "077", "177", "777"])
  func `is not ruled by its first caller's umask, and finds a directory mended that was made under it`(
    mask: String
  ) throws {
    try AgentTree.with { tree in
      let modes = "cd \"$XDG_RUNTIME_DIR\"/agent; echo $(stat -c %a . agent.sock start.lock agentd.lock)"
      let start = try tree.shell("bash", "umask \(mask); agent daemon start --quiet && agent list; \(modes)")
      #expect(start.outputText.hasSuffix("700 600 600 600\n"), "\(start.outputText) \(start.errorText)")
      let mended = try tree.shell("bash", "chmod 600 \"$XDG_RUNTIME_DIR\"/agent; agent list; \(modes)")
      #expect(mended.outputText.hasSuffix("700 600 600 600\n"), "\(mended.outputText) \(mended.errorText)")
    }
  }

  @Test func `spends no token that it could not store, however few descriptors are free`() throws {
    try Session.with { session in
      let tree = session.tree
      var renewals = 0
      for free in 0...16 {
        let peer = try Peer(tree.socketPath)
        // Everything that a renewal needs exists, except the server's response.
        let request = #"{"v":1,"request":"token","account":"work","force_refresh":true}"#
        try #require(peer.ask(request).contains("access_token"))
        let daemon = try tree.daemon()
        let open = Set(try ProcessRunner.shell("ls /proc/\(daemon)/fd").lines.compactMap { Int($0) })
        let limit = try #require((0...1024).first { limit in (0..<limit).count { !open.contains($0) } == free })
        try Self.setDescriptors(of: daemon, limit)
        if try peer.ask(request).contains("access_token") { renewals += 1 }
        // Data only in memory are lost, and a replaced refresh token ends the session (RFC 9700 section 4.14.2).
        try Self.setDescriptors(of: daemon, 1024)
        try tree.killDaemon()
        let next = try tree.agent("token", "work", "--force-refresh")
        try #require(next.succeeded, "\(free) free: \(next.errorText)")
      }
      #expect(renewals > 0)
    }
  }

  @Test func `serves with few descriptors and a small stack that it cannot have more of, and says so`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let start = try tree.shell("bash", "ulimit -n 48; ulimit -s 1024; agent daemon start --quiet")
        try #require(start.succeeded, "\(start.errorText)")
        let status = try tree.json("daemon", "status")["limits"]
        #expect(status?["descriptors"] == 48 && status?["stack_bytes"] == 1_048_576)
        let text = try tree.agent("daemon", "status").outputText
        #expect(text.contains("limited by the program that started it: stack_bytes 1048576, descriptors 48"), "\(text)")
        try tree.signIn(at: issuer.url)
        let idle = try (0..<60).map { _ in try Peer(tree.socketPath) }
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
        #expect(try tree.agent("list").succeeded)
        let told = try idle.filter { try $0.hasAnswer }
        #expect(!told.isEmpty)
        for peer in told { #expect(try peer.readLine()?.contains(#""code":"too_busy""#) == true) }
      }
    }
  }

  @Test func `does not begin where it could serve nobody, and says so`() throws {
    try AgentTree.with { tree in
      let start = try tree.shell("bash", "ulimit -n 24; agent daemon start")
      #expect(start.failed(4) && start.errorText.contains("RLIMIT_NOFILE (ulimit -n): 24 < 40"), "\(start.errorText)")
      #expect(try tree.agent("list").succeeded)
    }
  }

  @Test func `tells who has not asked yet why the connection is closed, and lets others connect again`() throws {
    try AgentTree.with { tree in
      _ = try tree.json("daemon", "start")
      let (new, served) = (try Peer(tree.socketPath), try Peer(tree.socketPath))
      #expect(try served.ask(#"{"v":1,"request":"daemon_status"}"#).contains("pid"))
      let later = try (0..<320).map { _ in try Peer(tree.socketPath) }
      #expect(try tree.agent("list").succeeded)
      #expect(try new.readLine()?.contains(#""code":"too_busy""#) == true)
      #expect(try new.readLine() == nil)
      #expect(try served.readLine() == nil)
      #expect(try later.contains { try !$0.hasAnswer })
    }
  }

  // Hard limits cannot be raised. A write beyond one kills a process that does not ignore the signal.
  @Test func `of a file's size is told by the request that needs more, and ends nothing`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let line = "ulimit -f 1; exec \"$0\" --foreground 2>\"$1\""
        let daemon = try RunningProcess(
          executable: "/bin/bash", arguments: ["-c", line, try Programs.path("agentd"), tree.path("log")],
          environment: tree.environment())
        let deadline = Instant.now.advanced(by: .testLimit)
        while try !tree.agent("daemon", "status").succeeded { try #require(Instant.now < deadline) }
        #expect(try tree.json("daemon", "status")["limits"]?["file_bytes"] == 1024)
        // The daemon reports each on its standard error, which is a file here.
        for number in 0..<12 {
          let login = try tree.agent(
            "login", "work\(number)", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback",
            "--device", "--json")
          #expect(login.failureCode == "storage", "\(login.errorText)")
        }
        #expect(try tree.directory.read("log").count == 1024)
        #expect(try tree.daemon() == daemon.processID)
        _ = try daemon.terminate()
      }
    }
  }

  private static let mayLimitWatches: Bool = {
    let result = try? ProcessRunner.run(
      executable: "/usr/bin/unshare",
      arguments: ["-r", "/bin/sh", "-c", "echo 0 > /proc/sys/user/max_inotify_instances"],
      environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"])
    return result?.succeeded ?? false
  }()

  @Test(.enabled(if: mayLimitWatches, "no user namespace may be made here"))
  func `works without a watch of files when the user has none left, and says so once`() throws {
    try AgentTree.with { tree in
      let script = """
        echo 0 > /proc/sys/user/max_inotify_instances || exit 9
        agent account add work --issuer https://as.example --client-id c && agent list && agent daemon log
        agent daemon stop
        """
      let result = try ProcessRunner.run(
        executable: "/usr/bin/unshare", arguments: ["-r", "/bin/sh", "-c", script], environment: tree.environment())
      #expect(result.succeeded, "\(result.errorText)")
      #expect(result.outputText.contains("work"))
      #expect(result.outputText.components(of: "inotify watches are exhausted") == 1, "\(result.outputText)")
    }
  }

  @Test func `holds up no caller for longer than its timeout when it accepts nobody`() throws {
    try AgentTree.with { tree in
      _ = try tree.json("daemon", "start")
      try tree.whileDaemonIsSilent {
        var queue: [SharedDescriptor] = []
        let directory = try PrivateDirectory(opening: tree.path("runtime/agent"), create: false)
        while let next = try? UnixSocket.connect(in: directory, name: "agent.sock", seconds: 1) {
          queue.append(SharedDescriptor(next))
        }
        for command in [["list"], ["token", "work"]] {
          let result = try tree.agent(command + ["--timeout", "1s", "--json"])
          #expect(result.failed(4))
          #expect(result.failureCode == "too_busy")
        }
      }
    }
  }

  @Test(arguments: [
    ["request", "--account", "work", "--output", "/dev/null", "https://api.example/"], ["verify", "-"],
  ])
  func `holds up no caller for longer than its timeout when it answers nobody`(command: [String]) throws {
    try AgentTree.with { tree in
      _ = try tree.json("daemon", "start")
      try tree.whileDaemonIsSilent {
        let result = try tree.agent(command + ["--timeout", "1s", "--json"], input: "a.b.c")
        #expect(result.failed(4))
        #expect(result.failureCode == "timeout")
      }
    }
  }
}

extension String {
  fileprivate func components(of text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count - 1
  }
}
