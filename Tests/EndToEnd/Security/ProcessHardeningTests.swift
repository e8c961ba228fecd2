import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Hardening of the daemon` {
  /// Variables that control libcurl, libcrypto, the C library or the Swift runtime.
  private static let orders: [String: String?] = [
    "SSLKEYLOGFILE": "/tmp/never-written", "OPENSSL_CONF": "/tmp/never-read", "OPENSSL_MODULES": "/tmp",
    "CURL_HOME": "/tmp", "SSL_CERT_FILE": "/tmp/never-read", "https_proxy": "http://127.0.0.1:1",
    "LD_PRELOAD_CANARY": "1", "SWIFT_BACKTRACE": "enable=yes", "AGENT_TEST_CANARY": "canary",
  ]

  @Test(.enabled(if: Machine.userID == 0, "only root may read the files of what is not dumpable"))
  func `the first caller's environment does not decide for all`() throws {
    try AgentTree.with { tree in
      try #require(try tree.agent(["daemon", "start"], Self.orders).succeeded)
      let text = try #require(ProcessFiles.text("environ", of: try tree.daemon()))
      let variables = text.split(separator: "\0").map { String($0) }
      #expect(variables.contains("HOME=\(tree.path("home"))"))
      for name in Self.orders.keys where name != "SWIFT_BACKTRACE" {
        #expect(!variables.contains { $0.hasPrefix(name + "=") }, "\(name)")
      }
      #expect(variables.contains("SWIFT_BACKTRACE=enable=no"))
    }
  }

  /// The processors that a process may run on, as listed by the kernel.
  private static func processors(_ text: String?) -> Substring? {
    text?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
  }

  /// The processors that a shell may run on after `taskset` with this mask.
  private static func processors(afterSetting mask: String) throws -> Substring? {
    processors(try ProcessRunner.shell("exec taskset \(mask) cat /proc/self/status").outputText)
  }

  @Test(
    .enabled(
      if: (try? processors(afterSetting: "1") != processors(afterSetting: "ffffffff")) ?? false,
      "needs taskset, processor 0 and another one"))
  func `the first caller's processors are not the daemon's, while a person chooses them`() throws {
    let all = try #require(try Self.processors(afterSetting: "ffffffff"))
    try AgentTree.with { tree in
      func pinned(_ program: String, _ arguments: String...) throws -> RunningProcess {
        try RunningProcess(
          executable: "/usr/bin/taskset", arguments: ["1", Programs.path(program)] + arguments,
          environment: tree.environment())
      }
      #expect(try pinned("agent", "daemon", "start").wait() == .exited(0))
      #expect(Self.processors(ProcessFiles.text("status", of: try tree.daemon())) == all)
      try tree.stopDaemon()
      let daemon = try pinned("agentd", "--foreground")
      let deadline = Instant.now.advanced(by: .testLimit)
      while daemon.errorText.isEmpty, Instant.now < deadline { Threads.sleep(for: .milliseconds(20)) }
      #expect(
        try Self.processors(ProcessFiles.text("status", of: try tree.daemon())) == Self.processors(afterSetting: "1"))
      try tree.stopDaemon()
      #expect(try daemon.wait() == .exited(0))
    }
  }

  private static let first = ["nice", "-n", "7", "choom", "-n", "900", "--"]

  @Test(.enabled(if: (try? ProcessRunner.shell((first + ["true"]).joined(separator: " ")).succeeded) ?? false))
  func `the first caller's priority and place at the end of memory are not the daemon's`() throws {
    try AgentTree.with { tree in
      let own = try ProcessRunner.shell("cat /proc/self/oom_score_adj").outputText
      let start = try tree.shell("sh", (Self.first + ["agent", "daemon", "start", "--quiet"]).joined(separator: " "))
      try #require(start.succeeded, "\(start.errorText)")
      let process = try tree.daemon()
      let adjustment = try #require(ProcessFiles.text("oom_score_adj", of: process))
      #expect(["0\n", "100\n", "200\n", own].contains(adjustment), "\(adjustment)")
      // proc(5): priority and nice value are the 18th and 19th field.
      let fields = ProcessFiles.text("stat", of: process)?.split(separator: ")").last?.split(separator: " ")
      if Machine.userID == 0 { #expect(fields?[16] == "0") }
    }
  }

  @Test(
    .disabled(if: Programs.areSanitized, "the thread sanitizer ends a program with this limit"),
    arguments: [
      ("-f 0", "RLIMIT_FSIZE (ulimit -f): 0 < "), ("-f 1", "RLIMIT_FSIZE"),
      ("-t 30", "RLIMIT_CPU (ulimit -t): 30 < 60"),
    ])
  func `a limit under which it could store nothing is named, and it does not start`(limit: String, text: String) throws
  {
    try AgentTree.with { tree in
      let start = try tree.shell("bash", "ulimit \(limit); agent daemon start 2>&1 | cat")
      #expect(start.outputText.contains(text), "\(start.outputText)")
      #expect(try tree.agent("daemon", "start").succeeded)
    }
  }

  @Test func `it leaves no core file and has no terminal`() throws {
    try AgentTree.with { tree in
      _ = try tree.json("daemon", "start")
      let process = try tree.daemon()
      let limits = try #require(ProcessFiles.text("limits", of: process))
      let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
      #expect(core.split(whereSeparator: { $0 == " " }).dropFirst(4).prefix(2) == ["0", "0"])
      // proc(5): after the name in parentheses state, parent, process group, session, terminal.
      let stat = try #require(ProcessFiles.text("stat", of: process))
      let fields = stat.split(separator: ")").last?.split(separator: " ")
      #expect(fields?[3] == "\(process)"[...], "it leads a session of its own")
      #expect(fields?[4] == "0", "it has no terminal")
    }
  }

  @Test(.enabled(if: Machine.userID == 0, "only root may read the files of what is not dumpable"))
  func `it holds only descriptors of its own`() throws {
    try AgentTree.with { tree in
      let file = try FileDescriptor(opening: "/etc/passwd", for: .reading)
      let start = try RunningProcess(
        executable: Programs.path("agent"), arguments: ["daemon", "start"], environment: tree.environment(),
        inherits: [(parent: file.raw, child: 7), (parent: file.raw, child: 8)])
      #expect(try start.wait() == .exited(0))
      let listing = try ProcessRunner.shell("ls -l /proc/\(try tree.daemon())/fd").outputText
      #expect(listing.contains("socket:") && !listing.contains("/etc/passwd"), "\(listing)")
    }
  }

  @Test func `the status tells whether secrets can be swapped out, and how long its loop worked at most`() throws {
    try AgentTree.with { tree in
      let daemon = try tree.json("daemon", "start")
      #expect(["locked", "unlocked"].contains(daemon["secure_heap"]?.string))
      #expect(try #require(daemon["memory_pss_kib"]?.int) > 0)
      #expect(try #require(daemon["longest_turn_us"]?.int) > 0)
      #expect(try tree.agent("daemon", "status", "--verbose").outputText.contains(" µs between two waits\n"))
      #expect(try !tree.agent("daemon", "status").outputText.contains("µs"))
    }
  }

  @Test(.enabled(if: Machine.userID == 0, "only root can be two users"))
  func `root leaves nothing in the home of another user`() throws {
    try AgentTree.with { tree in
      try #require(try ProcessRunner.shell("chown 65534 '\(tree.path("home"))'").succeeded)
      for command in [
        ["list"], ["daemon", "start"], ["list", "--no-daemon"], ["serve"],
        ["exec", "--lease", "--only", "https://api.example", "work", "--", "true"],
      ] {
        // Then the socket directory is in the home directory, too.
        let result = try tree.agent(command, ["XDG_RUNTIME_DIR": nil, "XDG_STATE_HOME": nil])
        #expect(
          !result.succeeded && result.errorText.contains("run without sudo, or use sudo -H"),
          "\(result.errorText)")
      }
      #expect(try ProcessRunner.shell("find '\(tree.path("home"))' -mindepth 1 -user root").outputText == "")
      try #require(try ProcessRunner.shell("chown 0 '\(tree.path("home"))'").succeeded)
      #expect(try tree.agent("list").succeeded)
    }
  }

  @Test(
    .enabled(if: Machine.userID == 0, "only root can be two users"),
    arguments: [
      ("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache"),
      ("XDG_RUNTIME_DIR", "runtime"),
    ])
  func `root leaves nothing in the other directories of a user`(variable: String, name: String) throws {
    try AgentTree.with { tree in
      let path = tree.path(name)
      try #require(try ProcessRunner.shell("chown 65534 '\(path)'").succeeded)
      for command in [
        ["list"], ["daemon", "start"], ["list", "--no-daemon"], ["setup", "--undo"], ["serve"],
        ["serve", "--socket", "\(path)/lease"],
      ] {
        let result = try tree.agent(command)
        #expect(
          !result.succeeded && result.errorText.contains("\(variable) is \(path)")
            && result.errorText.contains("unset \(variable)"), "\(result.errorText)")
      }
      let daemon = try ProcessRunner.run(
        executable: Programs.path("agentd"), arguments: ["--foreground"], environment: tree.environment())
      #expect(daemon.failed(1) && daemon.errorText.contains("\(variable) is \(path)"), "\(daemon.errorText)")
      #expect(try ProcessRunner.shell("find '\(path)' -mindepth 1").outputText == "")
    }
  }

  @Test func `a daemon whose program was replaced ends when it is idle, and the session goes on`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.stopDaemon()
      let folder = tree.path("programs")
      let programs = try #require(Programs.folder)
      let copy = "mkdir '\(folder)' && cp '\(programs)/agent' '\(programs)/agentd' '\(folder)'"
      try #require(try ProcessRunner.shell(copy).succeeded)
      func agent(_ arguments: String...) throws -> ProcessResult {
        try ProcessRunner.run(
          executable: folder + "/agent", arguments: arguments, environment: tree.environment())
      }
      #expect(try agent("token", "work").succeeded)
      let process = try OtherProcess(try tree.daemon())
      let replace = "cp '\(programs)/agentd' '\(folder)/new' && mv '\(folder)/new' '\(folder)/agentd'"
      try #require(try ProcessRunner.shell(replace).succeeded)
      #expect(!process.ends(within: .milliseconds(1)))
      // The last request that the daemon serves.
      #expect(try agent("list").succeeded)
      #expect(process.ends(within: .testLimit))
      #expect(try agent("token", "work").succeeded)
    }
  }

  @Test(.enabled(if: Machine.userID == 0, "only root can be two users"))
  func `another user can neither read its memory nor speak to it`() throws {
    try OtherUser.with { user in
      let started = try user.agent("daemon", "start", "--json")
      try #require(started.succeeded, "\(started.errorText)")
      let status = try JSON(parsing: started.output)
      let number = try #require(status["pid"]?.int)
      let process = try OtherProcess(Int32(clamping: number))
      // proc(5): the files of a process that is not dumpable belong to root.
      let owners = try ProcessRunner.shell("stat -c %u /proc/\(number)/mem /proc/\(number)/environ")
      #expect(owners.outputText == "0\n0\n")
      let socket = try #require(status["socket"]?.string)
      let peer = try Peer(socket)
      _ = try peer.send(Array("{\"v\":1,\"request\":\"daemon_status\"}\n".utf8))
      #expect(try peer.readLine() == nil, "the daemon answers a stranger")
      try AgentTree.with { tree in
        let result = try tree.agent(["daemon", "status", "--json"], ["AGENT_SOCKET": socket])
        #expect(result.failed(4))
        #expect(result.failureCode == "daemon_unavailable")
      }
      #expect(try user.agent("daemon", "stop").succeeded)
      #expect(process.ends(within: .testLimit))
    }
  }
}
