import Encoding
import Platform
import TestSupport
import Testing

/// The daemon's system calls wait, as on a hanging disk, until the test releases them.
@Suite(.needsPrograms, .needsFaults) struct `A disk that hangs` {
  private static func with(
    _ roots: [String], isWatched: Bool = true, _ body: (AgentTree, FaultyDaemon, Issuer) throws -> Void
  ) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let daemon = try FaultyDaemon(tree, at: roots.map { tree.path($0) }, isWatched: isWatched)
        try tree.signIn(at: issuer.url)
        try tree.signIn("other", at: issuer.url)
        try body(tree, daemon, issuer)
        try daemon.order()
        try daemon.kill()
      }
    }
  }

  @Test func `while a record is written delays no cached token and no local question`() throws {
    try Self.with(["state/agent", "config/agent"]) { tree, daemon, issuer in
      let token = try tree.token()
      let refresh = try daemon.holding("fsync") {
        try tree.start(["token", "other", "--force-refresh", "--timeout", "5m"])
      } _: { _ in
        #expect(try tree.token() == token)
        for command in [["list"], ["status"], ["daemon", "status"], ["lock"]] {
          let result = try tree.agent(command)
          #expect(result.succeeded, "\(command): \(result.errorText)")
        }
        #expect(try !daemon.steps().contains { $0.function == "renameat" }, "the record is still not written")
      }
      #expect(try refresh.wait() == .exited(0), "\(refresh.errorText)")
      #expect(try issuer.count("reuse_detected") == 0)
    }
  }

  // After a write by another program, the record must be read before its token is served again.
  @Test func `while the vault is read delays those alone who need it`() throws {
    try Self.with(["state/agent"]) { tree, daemon, issuer in
      let token = try tree.token()
      let vault = tree.path("state/agent/\(try tree.vaultName())")
      let copy = "cp -p '\(vault)' '\(vault).new' && mv '\(vault).new' '\(vault)'"
      let asking = try daemon.holding("read") {
        try #require(try ProcessRunner.shell(copy).succeeded)
        return try (0..<3).map { _ in try tree.start(["token", "work", "--timeout", "5m"]) }
      } _: { _ in
        for command in [["daemon", "status"], ["daemon", "log"], ["token", "nobody"]] {
          let result = try tree.agent(command)
          #expect(result.succeeded == (command.last != "nobody"), "\(command): \(result.errorText)")
        }
      }
      for process in asking {
        #expect(try process.readLine() == token)
        #expect(try process.wait() == .exited(0), "\(process.errorText)")
      }
      #expect(try issuer.count("refreshes") == 0)
    }
  }

  @Test func `while the settings are read delays those alone who need them`() throws {
    try Self.with(["config/agent"]) { tree, daemon, _ in
      let token = try tree.token()
      let asking = try daemon.holding("read") {
        try tree.editAllSettings { $0["lock_after"] = 900 }
        return try (0..<3).map { _ in try tree.start(["token", "work", "--timeout", "5m"]) }
      } _: { _ in
        for command in [["daemon", "status"], ["daemon", "log"], ["lock"]] {
          let result = try tree.agent(command)
          #expect(result.succeeded, "\(command): \(result.errorText)")
        }
      }
      for process in asking {
        #expect(try process.readLine() == token)
        #expect(try process.wait() == .exited(0), "\(process.errorText)")
      }
    }
  }

  @Test func `while the daemon reads what it has written itself delays no question that needs no settings`() throws {
    try Self.with(["config/agent"]) { tree, daemon, _ in
      try daemon.order()
      #expect(try tree.agent("use", "other").succeeded)
      let written = try #require(try daemon.steps().last { $0.function == "renameat" }).number
      let using = try daemon.holding("read", from: written + 1) {
        try tree.start(["use", "work"])
      } _: { using in
        for command in [["daemon", "status"], ["daemon", "log"], ["lock"]] {
          let result = try tree.agent(command)
          #expect(result.succeeded, "\(command): \(result.errorText)")
        }
        #expect(try daemon.steps().contains { $0.function == "renameat" }, "the settings are written")
      }
      #expect(try using.wait() == .exited(0), "\(using.errorText)")
      #expect(try tree.json("list")["accounts"]?.array?.map { $0["active"] } == [true, false])
    }
  }

  @Test(arguments: [("config/agent", "fstatat", ["lock"]), ("state/agent", "lstat", ["token", "nobody"])])
  func `while settings or a vault that nothing watches are looked at delays those alone who need them`(
    root: String, call: String, other: [String]
  ) throws {
    try Self.with([root], isWatched: false) { tree, daemon, issuer in
      let token = try tree.token()
      let asking = try daemon.holding(call) {
        try (0..<3).map { _ in try tree.start(["token", "work", "--timeout", "5m"]) }
      } _: { _ in
        for command in [["daemon", "status"], ["daemon", "log"], other] {
          let result = try tree.agent(command)
          #expect(result.succeeded == (command.last != "nobody"), "\(command): \(result.errorText)")
        }
      }
      for process in asking {
        #expect(try process.readLine() == token)
        #expect(try process.wait() == .exited(0), "\(process.errorText)")
      }
      #expect(try issuer.count("refreshes") == 0)
    }
  }

  @Test func `while the daemon looks whether its socket is there delays no question`() throws {
    try Self.with(["runtime/agent"]) { tree, daemon, _ in
      let token = try tree.token()
      _ = try daemon.holding("fstatat") {
        // The daemon checks its socket when a name in the directory is removed.
        let runtime = try tree.directory.open("runtime/agent")
        try runtime.replaceFile("other", with: Array("x".utf8).span)
        try runtime.removeFile("other")
      } _: { (_) throws in
        #expect(try tree.token() == token)
        for command in [["list"], ["daemon", "status"]] { #expect(try tree.agent(command).succeeded) }
      }
      #expect(try tree.agent("daemon", "status").succeeded)
    }
  }

  @Test func `while it is looked for token files that are left delays no question`() throws {
    try Self.with(["runtime/agent"]) { tree, daemon, _ in
      let runtime = try tree.directory.open("runtime/agent")
      let left = "token-\(String(repeating: "0", count: 32))"
      try daemon.kill()
      try runtime.replaceFile(left, with: Array("at".utf8).span)
      _ = try daemon.holding("fdopendir") {
        try daemon.restart()
      } _: { _ in
        let isThere = runtime.exists(left)
        #expect(isThere)
        for command in [["token"], ["list"], ["daemon", "status"]] {
          let result = try tree.agent(command)
          #expect(result.succeeded, "\(command): \(result.errorText)")
        }
      }
      let deadline = Instant.now.advanced(by: .testLimit)
      while runtime.exists(left) {
        try #require(Instant.now < deadline)
        Threads.sleep(for: .milliseconds(1))
      }
    }
  }

  @Test func `under the runtime directory delays no cached token and no local question`() throws {
    try Self.with(["runtime/agent"]) { tree, daemon, issuer in
      let token = try tree.token()
      let work = try daemon.holding("openat") {
        let command = ["/bin/sh", "-c", "cat \"$AGENT_TOKEN_FILE\"; echo"]
        let reading = try tree.start(["exec", "--token-file", "--account", "work", "--"] + command)
        let leaving = try tree.start(["logout", "other"])
        return (reading, leaving)
      } _: { _ in
        try tree.awaitEvent("signed_out", of: "other")
        #expect(try tree.token() == token)
        for command in [["list"], ["status"], ["daemon", "status"]] { #expect(try tree.agent(command).succeeded) }
      }
      #expect(try work.0.readLine() == token)
      #expect(try work.0.wait() == .exited(0), "\(work.0.errorText)")
      #expect(try work.1.wait() == .exited(0), "\(work.1.errorText)")
    }
  }

  // The prompt after a command reads the change mark.
  @Test func `keeps the result of a change until a shell's prompt can see it`() throws {
    try Self.with(["runtime/agent"]) { tree, daemon, _ in
      let mark = try tree.directory.readText("runtime/agent/changes")
      let leaving = try daemon.holding("renameat") {
        try tree.start(["logout", "other"])
      } _: { leaving in
        try tree.awaitEvent("signed_out", of: "other")
        #expect(try tree.directory.readText("runtime/agent/changes") == mark)
        // The change would have been reported before this response.
        #expect(try tree.agent("list").succeeded)
        #expect(leaving.errorText.isEmpty)
      }
      #expect(try leaving.wait() == .exited(0), "\(leaving.errorText)")
      #expect(try tree.directory.readText("runtime/agent/changes") != mark)
    }
  }
}
