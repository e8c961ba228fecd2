import Encoding
import Platform
import TestSupport
import Testing

/// `agent token-file`.
@Suite(.needsPrograms) struct `A standing token file` {
  private static func content(_ tree: AgentTree, _ path: String) -> String? {
    (try? FileDescriptor(opening: path, for: .reading).readToEnd(limit: 1 << 16)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private static func awaitContent(_ tree: AgentTree, _ path: String, _ expected: String?) throws {
    let deadline = Instant.now.advanced(by: .testLimit)
    while content(tree, path) != expected {
      try #require(Instant.now < deadline, "\(path): \(content(tree, path) ?? "none")")
      Threads.sleep(for: .milliseconds(10))
    }
  }

  private static func isThere(_ path: String) -> Bool {
    (try? FileDescriptor(opening: path, for: .reading)) != nil
  }

  @Test func `is there when the command returns, for the user alone, and no program need be running`() throws {
    try Session.with { session in
      let tree = session.tree
      let added = try tree.agent("token-file", "add", "work")
      let path = tree.path("runtime/agent/work.token")
      #expect(added.outputText == "\(path)\n" && added.errorText == "")
      #expect(try Self.content(tree, path) == tree.token())
      #expect(try tree.shell("sh", "stat -c %a '\(path)'").outputText == "600\n")
      #expect(try tree.agent("token-file", "add", "work").outputText == "\(path)\n")
      #expect(try tree.agent("token-file").outputText == "work  access token  written  \(path)\n")
      #expect(
        try tree.json("token-file")["token_files"]
          == [["account": "work", "path": .string(path), "written": true]])
      let first = try tree.token()
      let second = try #require(try tree.agent("token", "--force-refresh").lines.first.map { String($0) })
      #expect(second != first)
      try Self.awaitContent(tree, path, second)
      let removed = try tree.agent("token-file", "remove", "work")
      #expect(removed.errorText == "agent: removed the token files of work\n")
      try Self.awaitContent(tree, path, nil)
      #expect(try tree.agent("token-file").outputText == "")
      #expect(try tree.agent("token-file", "remove", "work").failed(2))
    }
  }

  @Test func `has the ID Token, and the path that programs of the grid try`() throws {
    try Session.with { session in
      let tree = session.tree
      let path = tree.path("runtime/bt_u\(Machine.userID)")
      #expect(try tree.agent("token-file", "add", "--wlcg").outputText == "\(path)\n")
      #expect(try Self.content(tree, path) == tree.token())
      let other = try tree.agent("token-file", "add", "work", "--id-token")
      #expect(other.outputText == "\(tree.path("runtime/agent/work.id_token"))\n")
      #expect(
        try Self.content(tree, tree.path("runtime/agent/work.id_token"))
          == tree.agent("token", "--id-token").lines.first.map { String($0) })
      #expect(try tree.agent("token-file", "remove", "work", path).succeeded)
      try Self.awaitContent(tree, path, nil)
      #expect(try tree.json("token-file")["token_files"]?.array?.count == 1)
    }
  }

  @Test func `goes with the session and with the daemon, and comes back with them`() throws {
    try Session.with { session in
      let tree = session.tree
      let path = tree.path("runtime/agent/work.token")
      #expect(try tree.agent("token-file", "add", "work").succeeded)
      try tree.stopDaemon()
      #expect(!Self.isThere(path) && !Self.isThere("\(path).lock"))
      #expect(try tree.agent("daemon", "start").succeeded)
      try Self.awaitContent(tree, path, tree.token())
      // A killed daemon leaves the file. The next one does not mistake it for another program's.
      try tree.killDaemon()
      #expect(Self.isThere(path))
      #expect(try tree.agent("daemon", "start").succeeded)
      try Self.awaitContent(tree, path, tree.token())
      #expect(try tree.agent("logout", "work").succeeded)
      try Self.awaitContent(tree, path, nil)
      let waiting = try tree.agent("token-file", "add", "work")
      #expect(waiting.status == .exited(3) && waiting.outputText == "", "\(waiting.errorText)")
      #expect(waiting.errorText.hasPrefix("agent: \(path) will be written when work is signed in\n"))
      try tree.signIn(at: session.issuer.url)
      try Self.awaitContent(tree, path, tree.token())
      #expect(try tree.agent("account", "rename", "work", "home").succeeded)
      try Self.awaitContent(tree, path, tree.token("home"))
      #expect(try tree.agent("account", "remove", "home").succeeded)
      try Self.awaitContent(tree, path, nil)
    }
  }

  @Test func `goes when the vault is locked, and comes back when it is unlocked`() throws {
    try LockedHome.with { home in
      let path = home.tree.path("runtime/agent/shut.token")
      #expect(try home.tree.agent("token-file", "add", "shut").succeeded)
      let token = try home.tree.token("shut")
      try Self.awaitContent(home.tree, path, token)
      try home.lock()
      try Self.awaitContent(home.tree, path, nil)
      try home.unlock()
      try Self.awaitContent(home.tree, path, home.tree.token("shut"))
    }
  }

  @Test func `is nowhere that others can read, on no disk, and takes no other program's place`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.directory.write("runtime/mine", "mine")
      let taken = try tree.agent("token-file", "add", "work", tree.path("runtime/mine"))
      #expect(taken.errorText == "agent: error: \(tree.path("runtime/mine")) exists already\n")
      #expect(Self.content(tree, tree.path("runtime/mine")) == "mine")
      let disk = try tree.agent("token-file", "add", "work", tree.path("home/token"))
      #expect(disk.failed(1) || disk.failed(2), "\(disk.errorText)")
      let open = try tree.agent("token-file", "add", "work", "/tmp/\(Machine.processID).token")
      #expect(!open.succeeded && !Self.isThere("/tmp/\(Machine.processID).token"))
      for wrong in [["add", "work", "a/../b"], ["add", "work", "x", "--wlcg"], ["fly"]] {
        #expect(try tree.agent(["token-file"] + wrong).failed(2), "\(wrong)")
      }
      // An attacker who edits the settings gains nothing.
      let text = try tree.directory.readText("config/agent/config.json")
      let own = "\"client_id\""
      try tree.directory.write(
        "config/agent/config.json",
        text.replacing(
          own, with: "\"token_files\":[\"\(tree.path("runtime/mine"))\",\"\(tree.path("home/token"))\"],\(own)"))
      #expect(try tree.agent("token").succeeded)
      #expect(try tree.agent("token-file").lines.count == 2)
      #expect(Self.content(tree, tree.path("runtime/mine")) == "mine" && !Self.isThere(tree.path("home/token")))
    }
  }
  // The path is shared by all programs of the grid.
  @Test func `leaves a file alone that another program put there while the account was signed out`() throws {
    try Session.with { session in
      let tree = session.tree
      let path = tree.path("runtime/bt_u\(Machine.userID)")
      #expect(try tree.agent("token-file", "add", "work", "--wlcg").succeeded)
      #expect(try tree.agent("logout", "work").succeeded)
      try Self.awaitContent(tree, path, nil)
      try tree.directory.write("runtime/bt_u\(Machine.userID)", "theirs")
      try tree.signIn(at: session.issuer.url)
      let refused = try tree.agent("daemon", "log")
      #expect(refused.outputText.contains("token file"), "\(refused.outputText)")
      #expect(Self.content(tree, path) == "theirs")
      #expect(try tree.agent("token-file", "remove", "work").succeeded)
      try tree.stopDaemon()
      #expect(Self.content(tree, path) == "theirs")
    }
  }

  @Test func `is of one account and one kind, and is added only if it is written`() throws {
    try Session.with { session in
      let tree = session.tree
      let path = tree.path("runtime/token")
      try tree.signIn("other", at: session.issuer.url, "--scope", "offline_access")
      #expect(try tree.agent("token-file", "add", "work", path).succeeded)
      #expect(try tree.agent("logout", "work").succeeded)
      try Self.awaitContent(tree, path, nil)
      for taken in [["other", path], ["other", path, "--id-token"]] {
        let result = try tree.agent(["token-file", "add"] + taken)
        #expect(result.errorText == "agent: error: \(path) exists already\n", "\(taken)")
      }
      #expect(try tree.agent("token-file", "remove", "work", tree.path("runtime//token")).succeeded)
      let missing = try tree.agent("token-file", "add", "other", path, "--id-token")
      #expect(!missing.succeeded && missing.outputText == "", "\(missing.errorText)")
      #expect(try tree.agent("token-file", "add", "other").succeeded)
      #expect(try tree.agent("token-file", "remove", "other", "--id-token").succeeded)
      #expect(try tree.json("token-file")["token_files"]?.array?.count == 1)
      #expect(try tree.agent("token-file", "--account", "work").outputText == "")
      #expect(try tree.agent("token-file", "add", "other", "--no-daemon").failed(2))
    }
  }
}
