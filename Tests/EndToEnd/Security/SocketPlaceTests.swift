import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Where the socket is` {
  @Test func `it is private, below the runtime directory`() throws {
    try AgentTree.with { tree in
      #expect(try tree.json("daemon", "start")["socket"] == .string(tree.socketPath))
      let modes = try ProcessRunner.shell("stat -c %a '\(tree.path("runtime/agent"))' '\(tree.socketPath)'")
      #expect(modes.outputText == "700\n600\n")
    }
  }

  @Test func `a stop removes it, and a second stop finds nothing`() throws {
    try AgentTree.with { tree in
      _ = try tree.json("daemon", "start")
      try tree.stopDaemon()
      #expect(try !tree.directory.open("runtime/agent").exists("agent.sock"))
      let again = try tree.agent("daemon", "stop")
      #expect(again.succeeded)
      #expect(again.errorText == "agent: the daemon is not running\n")
      #expect(try tree.agent("daemon", "status", "--json").failureCode == "daemon_unavailable")
      #expect(try tree.daemons() == [])
    }
  }

  @Test func `a restart makes another process`() throws {
    try AgentTree.with { tree in
      let first = try tree.json("daemon", "start")["pid"]?.int
      let second = try tree.json("daemon", "restart")["pid"]?.int
      #expect(try second != first && tree.daemons().map { Int($0) } == [try #require(second)])
    }
  }

  @Test func `a file that was left there is no obstacle`() throws {
    try Session.with { session in
      try session.tree.stopDaemon()
      try session.tree.directory.write("runtime/agent/agent.sock", "no socket")
      #expect(try !session.tree.token().isEmpty)
      #expect(try session.tree.daemons().count == 1)
    }
  }

  @Test(arguments: [["token"], ["status"], ["exec", "--", "true"], ["login", "work"], ["events", "--follow"]])
  func `AGENT_SOCKET starts no daemon where it names a socket that is gone`(words: [String]) throws {
    try AgentTree.with { tree in
      let socket = tree.path("runtime/own/gone.sock")
      let result = try tree.agent(words, ["AGENT_SOCKET": socket])
      #expect(result.failed(4), "\(result.errorText)")
      #expect(
        result.errorText.contains("no daemon is listening at \(socket) (AGENT_SOCKET)"), "\(result.errorText)")
      #expect(try tree.daemons().isEmpty)
    }
  }

  // Otherwise a typing error would create directories.
  @Test(arguments: [["daemon", "start"], ["token"]])
  func `AGENT_SOCKET in a directory that does not exist makes none`(words: [String]) throws {
    try AgentTree.with { tree in
      let folder = tree.path("nowhere/else")
      let named = ["AGENT_SOCKET": Optional("\(folder)/my.sock")]
      let result = try tree.agent(words, named)
      #expect(result.failed(4))
      #expect(result.errorText.hasPrefix("agent: error: the directory \(folder) does not exist (AGENT_SOCKET)\n"))
      #expect(try !ProcessRunner.shell("test -e '\(tree.path("nowhere"))'").succeeded)
      let hint = try #require(Hints.all(in: result).first)
      #expect(try ProcessRunner.shell(hint).succeeded, "\(hint)")
      #expect(try tree.agent(["daemon", "start"], named).succeeded)
    }
  }

  @Test func `AGENT_SOCKET names another place`() throws {
    try AgentTree.with { tree in
      let socket = tree.path("runtime/own/my.sock")
      let other = ["AGENT_SOCKET": Optional(socket)]
      let usual = try tree.json("daemon", "start")["pid"]?.int
      let started = try JSON(parsing: tree.agent(["daemon", "start", "--json"], other).output)
      #expect(started["socket"] == .string(socket))
      #expect(started["pid"]?.int != usual)
      #expect(try tree.daemons().count == 2)
      #expect(try tree.agent(["daemon", "stop"], other).succeeded)
      #expect(try tree.json("daemon", "status")["pid"]?.int == usual)
      let relative = try tree.agent(["daemon", "start", "--json"], ["AGENT_SOCKET": "my.sock"])
      #expect(relative.failed(1))
      #expect(relative.failureCode == "invalid_configuration")
    }
  }

  @Test func `a path too long for a socket address works`() throws {
    let long = "runtime/" + String(repeating: "long-directory-name/", count: 8) + "end"
    try AgentTree.with(runtime: long) { tree in
      let socket = tree.path(long) + "/agent/agent.sock"
      // struct sockaddr_un has 108 bytes, the last of them NUL (unix(7)).
      #expect(socket.utf8.count > 107)
      try Issuer.with { issuer in
        try tree.signIn(at: issuer.url)
        #expect(try !tree.token().isEmpty)
        #expect(try tree.json("daemon", "status")["socket"] == .string(socket))
        try tree.stopDaemon()
      }
    }
  }

  /// A session of this user has a directory that another daemon of theirs may use.
  private static let hasUserDirectory =
    UserDirectories.runtimeCandidates { _ in nil }.contains { $0.hasPrefix("/run/user/") }

  @Test(.enabled(if: !hasUserDirectory, "this user has a runtime directory that the daemon would use"))
  func `without a runtime directory it is in the state directory`() throws {
    try AgentTree.with { tree in
      let hidden = ["XDG_RUNTIME_DIR": String?.none]
      let result = try tree.agent(["daemon", "start", "--json"], hidden)
      let socket = try #require(JSON(parsing: result.output)["socket"]?.string)
      #expect(socket.hasPrefix(tree.path("state/agent/run/")))
      #expect(try tree.agent(["daemon", "stop"], hidden).succeeded)
    }
  }

  @Test func `a directory that others can enter is not used`() throws {
    try AgentTree.with { tree in
      let folder = tree.path("open")
      try #require(try ProcessRunner.shell("mkdir -m 755 '\(folder)'").succeeded)
      let result = try tree.agent(["daemon", "start", "--json"], ["AGENT_SOCKET": "\(folder)/agent.sock"])
      #expect(result.failed(1))
      #expect(result.failureCode == "storage")
      #expect(try tree.daemons() == [])
    }
  }

  @Test func `the daemon ends when its directory goes away`() throws {
    try AgentTree.with { tree in
      _ = try tree.json("daemon", "start")
      let daemon = try OtherProcess(try tree.daemon())
      try FileTree.remove(tree.path("runtime/agent"))
      #expect(daemon.ends(within: .testLimit))
      #expect(try tree.json("daemon", "start")["pid"] != nil)
    }
  }

  @Test func `a service manager's socket is taken over, and left to it`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.stopDaemon()
      let folder = try tree.directory.open("runtime/agent")
      let listener = try UnixSocket.listen(in: folder, name: "agent.sock", backlog: 16)
      // sd_listen_fds(3): the socket is descriptor 3, for the process that LISTEN_PID names.
      let service = try RunningProcess(
        executable: "/bin/sh",
        arguments: ["-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\"", try Programs.path("agentd")],
        environment: tree.environment(), inherits: [(parent: listener.raw, child: 3)])
      #expect(try !tree.token().isEmpty)
      #expect(try tree.daemon() == service.processID)
      #expect(try service.terminate() == .exited(0))
      let isStillThere = folder.exists("agent.sock")
      #expect(isStillThere)
    }
  }

  @Test func `a daemon in the foreground serves until it is told to end`() throws {
    try AgentTree.with { tree in
      let daemon = try tree.start(["daemon", "run"])
      let deadline = Instant.now.advanced(by: .testLimit)
      // Nothing reports when it listens, because a service manager's socket lets clients wait.
      while try !tree.agent("daemon", "status").succeeded {
        try #require(Instant.now < deadline, "\(daemon.errorText)")
        Threads.sleep(for: .milliseconds(20))
      }
      #expect(try tree.daemon() == daemon.processID)
      #expect(try daemon.terminate() == .exited(0))
      #expect(try !tree.directory.open("runtime/agent").exists("agent.sock"))
    }
  }

  @Test func `a second daemon in the same directory gives way`() throws {
    try AgentTree.with { tree in
      _ = try tree.json("daemon", "start")
      let folder = tree.path("runtime/agent")
      let second = try ProcessRunner.run(
        executable: Programs.path("agentd"), arguments: ["--directory", folder, "--socket-name", "agent.sock"],
        environment: tree.environment())
      #expect(second.failed(75) && second.errorText == "")
      let shown = try tree.agent("daemon", "run")
      #expect(shown.failed(75))
      #expect(
        shown.errorText
          == "agentd: error: another daemon serves this directory already; to end it: agent daemon stop\n")
      #expect(try tree.json("daemon", "status")["pid"] != nil)
    }
  }
}
