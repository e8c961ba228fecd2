import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A lock` {
  private static let commands: [[String]] = [
    ["token", "shut"], ["token", "shut", "--force-refresh"], ["token", "shut", "--id-token"],
    ["token", "shut", "--scope", "openid"],
    ["exec", "shut", "--", "true"], ["whoami", "shut"], ["account", "rename", "shut", "closed"], ["logout", "shut"],
  ]

  @Test func `refuses what is behind it with exit status 5, and lets the other accounts go on`() throws {
    try LockedHome.with { home in
      #expect(try !home.isLocked())
      try home.lock()
      for command in Self.commands {
        let result = try home.tree.agent(command.prefix(1) + ["--json"] + command.dropFirst())
        #expect(result.failed(5), "\(command): \(result.errorText)")
        #expect(result.failureCode == "locked", "\(command)")
        #expect(result.errorText.contains("\"agent unlock shut"), "\(command): \(result.errorText)")
      }
      let asked = try home.issuer.requests()
      let request = try home.tree.agent("request", "\(home.issuer.url)/userinfo", "-a", "shut")
      #expect(request.failed(5))
      // The output for a shell only sets the status.
      let env = try home.tree.agent("env", "shut")
      #expect(env.status == .exited(5) && env.outputText == "(exit 5);\n")
      #expect(try home.issuer.requests() == asked)
      let before = try home.tree.token("open")
      #expect(try home.tree.token("open", "--force-refresh") != before)
      #expect(try home.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `names the accounts that it locks, and those that stay usable`() throws {
    try LockedHome.with { home in
      let usable = "still usable without a passphrase or PIN: open\n"
      #expect(try home.run("lock").errorText == "agent: locked: shut; \(usable)")
      #expect(try home.run("lock").errorText == "agent: locked: shut; \(usable)")
      let signOut = try home.tree.agent("logout", "shut")
      #expect(signOut.errorText.hasSuffix("to end the session only here: agent logout shut --local\n"))
      let unknown = try home.tree.agent("unlock", "nosuch", "--passphrase-file", home.file)
      #expect(unknown.failed(3) && unknown.errorText.contains("no account is called nosuch"), "\(unknown.errorText)")
      #expect(try home.isLocked())
      try home.run("logout", "shut", "--local")
      #expect(try home.run("lock").errorText == "agent: nothing to lock; \(usable)")
      #expect(try home.run("logout", "shut").errorText == "agent: shut was not signed in\n")
      #expect(try !home.run("doctor").outputText.contains("the level passphrase is locked"))
    }
  }

  @Test func `is shown by status and list, and ends with an unlock`() throws {
    try LockedHome.with { home in
      #expect(try home.status("shut")["state"] == "active")
      #expect(try home.status("shut")["protection"] == "passphrase")
      #expect(try home.status("open")["protection"] == "device")
      #expect(try home.tree.json("lock")["locked"] == ["passphrase"])
      let shut = try home.status("shut")
      #expect(shut["state"] == "locked" && shut["problem"]?["code"] == "locked" && shut["expires_at"] == nil)
      #expect(shut["protection"] == "passphrase")
      #expect(try home.status("open")["state"] == "active")
      let list = try home.tree.json("list")["accounts"]?.array?.compactMap { $0["state"]?.string }
      #expect(list == ["active", "locked"])
      try home.unlock()
      let again = try home.status("shut")
      #expect(again["state"] == "stale" && again["problem"] == nil)
      #expect(try !home.tree.token("shut").isEmpty)
      #expect(try home.status("shut")["state"] == "active")
    }
  }

  @Test func `is what a new daemon begins with`() throws {
    try LockedHome.with { home in
      try home.tree.stopDaemon()
      #expect(try home.isLocked())
      #expect(try home.tree.json("status", "shut")["accounts"]?.array?.first?["state"] == "locked")
      #expect(try !home.tree.token("open").isEmpty)
      try home.tree.killDaemon()
      #expect(try home.isLocked())
      try home.unlock()
      #expect(try !home.isLocked())
    }
  }

  // Local requests never wait for a network.
  @Test func `does not wait for a refresh that is under way, whose new refresh token is not lost`() throws {
    try LockedHome.with { home in
      try home.issuer.control("hang", "token")
      let refreshes = try home.issuer.count("refreshes")
      let token = try home.tree.start(["token", "shut", "--force-refresh", "--json"])
      try home.issuer.await("hangs", 1)
      #expect(try home.tree.agent("lock", "--json").succeeded)
      #expect(try token.wait() == .exited(5))
      #expect(try home.isLocked())
      try home.issuer.control("hang", "off")
      try home.issuer.await("refreshes", refreshes + 1)
      try home.unlock()
      #expect(try !home.tree.token("shut", "--force-refresh").isEmpty)
      #expect(try home.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `has the last word over an unlock that was asked for before it`() throws {
    try LockedHome.with { home in
      try home.issuer.control("hang", "token")
      let token = try home.tree.start(["token", "shut", "--force-refresh"])
      try home.issuer.await("hangs", 1)
      // The first lock waits for the refresh to end, the unlock for the first lock. The daemon handles them in order.
      let (first, unlock, second) = try (
        Peer(home.tree.socketPath), Peer(home.tree.socketPath), Peer(home.tree.socketPath)
      )
      let lock = Array(#"{"v":1,"request":"lock"}"#.utf8) + [10]
      #expect(try first.send(lock))
      #expect(try token.wait() == .exited(5))
      let passphrase = try FileDescriptor(opening: home.file, for: .reading)
      try unlock.send(#"{"v":1,"request":"unlock","protection":"passphrase"}"# + "\n", passing: passphrase)
      #expect(try second.send(lock))
      // Earlier requests have been handled when this is answered.
      #expect(try home.isLocked())
      try home.issuer.control("hang", "off")
      for peer in [first, second] {
        let answer = try #require(try peer.readLine())
        #expect(try JSON(parsing: Array(answer.utf8))["result"]?["locked"] == ["passphrase"], "\(answer)")
      }
      let answer = try #require(try unlock.readLine())
      #expect(try JSON(parsing: Array(answer.utf8))["error"]?["code"] == "locked", "\(answer)")
      #expect(try home.isLocked())
    }
  }

  @Test(
    arguments: [
      (["lock"], "failed", "locked", Int32(5)), (["logout", "shut", "--local"], "not_signed_in", nil, 3),
    ] as [([String], String, String?, Int32)])
  func `gives up what is being asked of the server, as a sign-out does`(
    ending: [String], check: String, code: String?, status: Int32
  ) throws {
    try LockedHome.with { home in
      try home.issuer.control("hang", "userinfo")
      let asking = try home.tree.start(["status", "--check", "shut", "--json"])
      try home.issuer.await("hangs", 1)
      #expect(try home.tree.agent(ending).succeeded)
      let account = try JSON(parsing: Array(asking.readLine().utf8))["accounts"]?.array?.first
      #expect(account?["check"]?.string == check, "\(String(describing: account))")
      #expect(account?["check_problem"]?["code"]?.string == code)
      #expect(try asking.wait() == .exited(status))
    }
  }

  @Test func `is told to those who follow, and takes tokens out of files until an unlock`() throws {
    try LockedHome.with { home in
      let program = try home.tree.start(
        ["exec", "shut", "--token-file", "--", "/bin/sh", "-c", "echo \"$AGENT_TOKEN_FILE\"; read line"])
      let path = try program.readLine()
      func wait(until isThere: Bool) throws {
        let deadline = Instant.now.advanced(by: .testLimit)
        while try ProcessRunner.shell("test -s '\(path)'").succeeded != isThere {
          try #require(Instant.now < deadline, "the file is \(isThere ? "not there" : "there")")
          Threads.sleep(for: .milliseconds(10))
        }
      }
      try wait(until: true)
      try home.lock()
      try wait(until: false)
      try home.unlock()
      try wait(until: true)
      program.closeInput()
      _ = try program.wait()
      let events = try home.tree.agent("events", "--json").lines.map { try JSON(parsing: Array($0.utf8)) }
      let told = events.filter { ["locked", "unlocked"].contains($0["event"]?.string) }
      #expect(told.compactMap { $0["event"]?.string } == ["locked", "unlocked"])
      #expect(told.allSatisfy { $0["account"] == "shut" }, "\(told)")
      #expect(!events.contains { $0["event"] == "refresh_failed" })
    }
  }

  @Test func `of a home where nothing is protected is no error`() throws {
    try Session.with { session in
      #expect(try session.tree.json("lock")["locked"] == [])
      #expect(try session.tree.json("unlock")["unlocked"] == [])
      #expect(try !session.tree.token().isEmpty)
      try session.tree.stopDaemon()
      #expect(try session.tree.json("lock")["locked"] == [])
      #expect(try session.tree.daemons() == [], "a lock starts no daemon")
    }
  }

  // MARK: By itself

  @Test func `comes by itself after a time without use`() throws {
    try LockedHome.with { home in
      #expect(try home.tree.json("vault", "set", "--lock-after", "1s")["lock_after"] == 1)
      try home.tree.awaitLock("idle")
      #expect(try home.isLocked())
      #expect(try !home.tree.token("open").isEmpty)
      #expect(try home.tree.json("vault", "set", "--lock-after", "never")["lock_after"] == 0)
      try home.unlock()
      // Together longer than the time without use.
      Threads.sleep(for: .milliseconds(1500))
      #expect(try !home.isLocked())
    }
  }

  @Test func `comes after the time that the settings name, also when an editor changed them`() throws {
    try LockedHome.with { home in
      #expect(try home.tree.agent("vault", "set", "--lock-after", "1h").succeeded)
      try home.tree.editAllSettings { $0["lock_after"] = 1 }
      #expect(try home.tree.json("vault", "status")["lock_after"] == 1)
      try home.tree.awaitLock("idle")
      #expect(try home.isLocked())
    }
  }

  @Test(.needsProgramsForLong)
  func `comes by itself too where only a passphrase opens the vault, but not while that is used`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.directory.write("passphrase", LockedHome.passphrase + "\n")
      #expect(try tree.agent("vault", "set", "--lock-after", "10s").succeeded)
      #expect(try tree.agent("vault", "add-passphrase", "--passphrase-file", tree.path("passphrase")).succeeded)
      #expect(try tree.agent("vault", "remove-slot", "1").succeeded)
      for isUnlocked in [false, true] {
        if isUnlocked { #expect(try tree.agent("unlock", "--passphrase-file", tree.path("passphrase")).succeeded) }
        let end = Instant.now.advanced(by: .seconds(12))
        while Instant.now < end {
          #expect(try !tree.token().isEmpty)
          Threads.sleep(for: .milliseconds(500))
        }
        let deadline = Instant.now.advanced(by: .testLimit)
        while try tree.json("status")["accounts"]?.array?.first?["state"] != "locked" {
          try #require(Instant.now < deadline, "there is no lock")
          Threads.sleep(for: .milliseconds(50))
        }
        #expect(try tree.agent("token", "--json").failureCode == "locked")
        #expect(try tree.hasLocked("idle"))
      }
    }
  }

  @Test(.needsProgramsForLong) func `does not come while accounts behind it are used, and does when only others are`()
    throws
  {
    try LockedHome.with { home in
      try home.run("vault", "set", "--lock-after", "10s")
      let end = Instant.now.advanced(by: .seconds(12))
      while Instant.now < end {
        #expect(try !home.isLocked())
        Threads.sleep(for: .milliseconds(500))
      }
      let deadline = Instant.now.advanced(by: .testLimit)
      while try !home.tree.hasLocked("idle") {
        try #require(Instant.now < deadline)
        #expect(try !home.tree.token("open").isEmpty)
        Threads.sleep(for: .milliseconds(200))
      }
      #expect(try home.isLocked())
    }
  }
}

extension AgentTree {
  func hasLocked(_ cause: String) throws -> Bool {
    try events().contains { $0["event"] == "locked" && $0["cause"]?.string == cause }
  }

  /// The log is the only indication.
  func awaitLock(_ cause: String) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while try !hasLocked(cause) {
      try #require(Instant.now < deadline, "there is no lock")
      Threads.sleep(for: .milliseconds(20))
    }
  }
}
