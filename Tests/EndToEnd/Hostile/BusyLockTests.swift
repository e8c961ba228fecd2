import Encoding
import Platform
import TestSupport
import Testing

/// It makes no command fail whose caller has time.
@Suite(.needsProgramsForLong) struct `A lock that is busy` {
  /// Longer than other commands wait for a lock.
  private static let longTime = Duration.seconds(13)

  private static func whileLocked<Result>(
    _ name: String, in tree: AgentTree, _ begin: () throws -> Result
  ) throws -> Result {
    let holder = try RunningProcess(
      executable: "/usr/bin/flock",
      arguments: [
        "-F", tree.path(name.hasPrefix("config") ? name : "state/agent/\(name)"), "sh", "-c",
        "echo held; exec sleep 3600",
      ])
    #expect(try holder.readLine() == "held")
    defer { _ = try? holder.terminate() }
    let work = try begin()
    Threads.sleep(for: longTime)
    return work
  }

  @Test(arguments: ["vault.lock", "locks/account-work.lock"])
  func `keeps a refresh waiting`(name: String) throws {
    try Session.with { session in
      let refresh = try Self.whileLocked(name, in: session.tree) {
        try session.tree.start(["token", "work", "--force-refresh"])
      }
      #expect(try refresh.wait() == .exited(0), "\(refresh.errorText)")
      #expect(try session.issuer.count("refreshes") == 1)
    }
  }

  @Test(arguments: [
    ("vault.lock", ["logout", "work"]), ("vault.lock", ["account", "remove", "work"]),
    ("config/agent/config.lock", ["use", "other"]),
    ("config/agent/config.lock", ["account", "rename", "other", "another"]),
    ("config/agent/config.lock", ["account", "set", "work", "--refresh", "strict"]),
    ("config/agent/config.lock", ["account", "remove", "other"]), ("setup.lock", ["setup", "--undo"]),
  ])
  func `keeps a change waiting`(name: String, command: [String]) throws {
    try Session.with { session in
      let tree = session.tree
      let added = try tree.agent(
        "account", "add", "other", "--issuer", session.issuer.url, "--client-id", "x", "--allow-http-loopback")
      #expect(added.succeeded, "\(added.errorText)")
      let change = try Self.whileLocked(name, in: tree) { try tree.start(command) }
      #expect(try change.wait() == .exited(0), "\(change.errorText)")
    }
  }

  @Test func `is not waited for on behalf of a caller that has left`() throws {
    try Session.with { session in
      let tree = session.tree
      let added = try tree.agent(
        "account", "add", "other", "--issuer", session.issuer.url, "--client-id", "x", "--allow-http-loopback")
      #expect(added.succeeded, "\(added.errorText)")
      try Self.whileLocked("config/agent/config.lock", in: tree) { () throws in
        #expect(try tree.agent("use", "other", "--timeout", "1").failed(4))
      }
      // This command follows a change that was still waiting.
      _ = try tree.json("account", "set", "work", "--refresh", "strict")
      #expect(try tree.agent("use").outputText == "work\n")
    }
  }

  @Test(arguments: ["vault.lock", "locks/account-new.lock"])
  func `keeps a sign-in waiting whose code is shown`(name: String) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.makeLocks(of: "new")
        let login = try tree.start(
          [
            "login", "new", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
            "--json",
          ])
        #expect(try JSON(parsing: Array(login.readLine().utf8))["user_code"] != nil)
        // The issuer approves at the first poll.
        try Self.whileLocked(name, in: tree) {}
        #expect(try login.wait() == .exited(0), "\(login.errorText)")
        #expect(try !tree.token("new", "--force-refresh").isEmpty)
      }
    }
  }

  @Test(arguments: ["vault.lock", "locks/account-work.lock"])
  func `keeps a sign-in waiting that was approved in the browser`(name: String) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.makeLocks(of: "work")
        let browser = try BrowserLogin(tree, issuer)
        _ = try Self.whileLocked(name, in: tree) { try BrowserLogin.browse(browser.url) }
        #expect(try browser.end().status == .exited(0))
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
      }
    }
  }
}

/// One fsync serves all records that wait for it, and the daemon does not regard itself as another process.
@Suite(.needsProgramsForLong, .needsFaults) struct `A disk that is slow` {
  @Test func `serves many refreshes and a sign-in with few writes`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let daemon = try FaultyDaemon(tree, at: [tree.path("state/agent")])
        let names = (0..<24).map { "account-\($0)" }
        for name in names { try tree.signIn(name, at: issuer.url) }
        try daemon.order(1, .slow("fsync"))
        let refreshes = try names.map { try tree.start(["token", $0, "--force-refresh"]) }
        let login = try tree.start(
          ["login", "new", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device"])
        for refresh in refreshes { #expect(try refresh.wait() == .exited(0), "\(refresh.errorText)") }
        #expect(try login.wait() == .exited(0), "\(login.errorText)")
        let renames = try daemon.steps().filter { $0.function == "renameat" }.count
        #expect((1...12).contains(renames), "\(renames) writes of 25 records")
        try daemon.order()
        for name in names + ["new"] { #expect(try !tree.token(name, "--force-refresh").isEmpty) }
        #expect(try issuer.count("reuse_detected") == 0)
        try daemon.kill()
      }
    }
  }
}

extension AgentTree {
  fileprivate func makeLocks(of account: String) throws {
    _ = try PrivateDirectory(opening: path("state/agent/locks"), create: true)
    try directory.write("state/agent/vault.lock", "")
    try directory.write("state/agent/locks/account-\(account).lock", "")
  }
}
