import Encoding
import Platform
import TestSupport
import Testing

/// The commands that the settings name for events.
@Suite(.needsPrograms) struct `Commands for events` {
  private static func shell(_ script: String, _ more: (String, JSON)...) -> JSON {
    .object(JSONObject([("run", ["/bin/sh", "-c", .string(script)])] + more))
  }

  /// Waits until the log contains this many failed commands.
  private static func failures(_ count: Int, _ tree: AgentTree) throws -> [JSON] {
    let deadline = Instant.now.advanced(by: .testLimit)
    while true {
      let events = try tree.events().filter { $0["event"] == "command_failed" }
      if events.count >= count { return events }
      try #require(Instant.now < deadline, "\(events)")
      Threads.sleep(for: .milliseconds(20))
    }
  }

  private static func awaitFile(_ name: String, _ tree: AgentTree) throws -> String {
    let deadline = Instant.now.advanced(by: .testLimit)
    while try !tree.directory.open().exists(name) {
      try #require(Instant.now < deadline, "there is no \(name)")
      Threads.sleep(for: .milliseconds(10))
    }
    return try tree.directory.readText(name)
  }

  @Test func `run away from the terminal, with a clean environment and nothing open`() throws {
    try Session.with { session in
      let tree = session.tree
      let script = """
        ls /proc/$$/fd >'\(tree.path("open"))'
        { pwd; tr '\\n' ' ' <'\(tree.path("open"))'; echo; cut -d' ' -f5,6,7 /proc/$$/stat; echo $$; env | cut -d= -f1 | sort | tr '\\n' ' '
        grep SigIgn /proc/$$/status; } >'\(tree.path("part"))'; mv '\(tree.path("part"))' '\(tree.path("seen"))'
        """
      try tree.setCommands([Self.shell(script, ("events", ["signed_out"]))])
      try tree.stopDaemon()
      #expect(try tree.agent(["token"], ["AWS_SECRET": "x", "LD_LIBRARY_PATH": "/x", "TPM2_X": "1"]).succeeded)
      #expect(try tree.agent("logout").succeeded)
      let seen = try Self.awaitFile("seen", tree).split(separator: "\n").map(String.init)
      try #require(seen.count == 5, "\(seen)")
      #expect(seen[0] == "/")
      // dash keeps its own standard output at 10 while it redirects that of ls.
      #expect(["0 1 2 ", "0 1 10 2 "].contains(seen[1]), "\(seen[1])")
      #expect(seen[2] == "\(seen[3]) \(seen[3]) 0")
      let words = seen[4].split(separator: " ").map(String.init)
      #expect(
        Set(words.prefix { $0.first?.isUppercase == true && $0.last != "\t" && !$0.hasPrefix("SigIgn") })
          .subtracting(["PWD", "SHLVL", "_", "OLDPWD"]) == [
            "HOME", "LANG", "PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
          ])
      // All signals have their default effect. 32 and 33 belong to the C library.
      #expect(
        words.last?.hasSuffix("\t0000000180000000") == true || words.last?.hasSuffix("\t0000000000000000") == true)
    }
  }

  @Test func `that fail are noted, and nobody else notices`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.setCommands([
        Self.shell("exit 7"), Self.shell("kill -KILL $$"), ["run": ["/no/such/program"]],
        ["run": [.string(tree.path("home"))]], Self.shell("exit 0"),
      ])
      _ = try tree.token("work", "--force-refresh")
      let failures = try Self.failures(4, tree)
      #expect(Set(failures.compactMap { $0["position"]?.int }) == [1, 2, 3, 4])
      for failure in failures {
        switch failure["position"] {
        case 1: #expect(failure["reason"] == "exited" && failure["status"] == 7)
        case 2: #expect(failure["reason"] == "signalled" && failure["signal"] == 9)
        case 3: #expect(failure["reason"] == "not_started" && failure["errno"] == 2)
        default: #expect(failure["reason"] == "not_started" && failure["errno"] == 13)
        }
        #expect(failure["account"] == "work")
      }
    }
  }

  @Test func `that take too long are ended, with all that they started`() throws {
    try Session.with { session in
      let tree = session.tree
      let script = """
        trap '' TERM; sh -c 'trap "" TERM; echo $$ >"\(tree.path("part"))"; mv "\(tree.path("part"))" "\(tree.path("inner"))"
        while :; do sleep 1; done' & wait; while :; do sleep 1; done
        """
      try tree.setCommands([Self.shell(script, ("timeout", 10))])
      _ = try tree.token("work", "--force-refresh")
      let inner = try #require(Int32(try Self.awaitFile("inner", tree).dropLast()))
      let process = try OtherProcess(inner)
      _ = try tree.token()
      #expect(process.ends(within: .testLimit))
      let failures = try Self.failures(1, tree)
      #expect(failures.map { $0["reason"] } == ["timed_out"])
    }
  }

  @Test func `run four at a time; others wait, and too many are left out`() throws {
    try Session.with { session in
      let tree = session.tree
      _ = try tree.directory.open("run")
      let script =
        "touch '\(tree.path("run"))'/$$; cat >/dev/null; while [ ! -e '\(tree.path("go"))' ]; do sleep 0.05; done"
      try tree.setCommands([Self.shell(script, ("events", ["refreshed"]), ("timeout", 300))])
      // 4 run and 64 wait.
      for _ in 0..<70 { _ = try tree.token("work", "--force-refresh") }
      let dropped = try tree.events().filter { $0["event"] == "commands_dropped" }.compactMap { $0["count"]?.int }
      #expect(dropped.reduce(0, +) == 2)
      #expect(try tree.directory.open("run").fileNames().count == 4)
      try tree.directory.write("go", "")
      let deadline = Instant.now.advanced(by: .testLimit)
      while try tree.directory.open("run").fileNames().count < 68 {
        try #require(Instant.now < deadline)
        Threads.sleep(for: .milliseconds(50))
      }
      #expect(try Self.failures(0, tree) == [])
    }
  }

  @Test func `are given a moment when the daemon stops, and no more`() throws {
    try Session.with { session in
      let tree = session.tree
      let script =
        "cat >/dev/null; echo $$ >'\(tree.path("part"))'; mv '\(tree.path("part"))' '\(tree.path("pid"))'; exec sleep 1000"
      try tree.setCommands([Self.shell(script)])
      _ = try tree.token("work", "--force-refresh")
      let command = try OtherProcess(try #require(Int32(try Self.awaitFile("pid", tree).dropLast())))
      let daemon = try OtherProcess(try tree.daemon())
      #expect(try tree.agent("daemon", "stop").succeeded)
      #expect(daemon.ends(within: .testLimit))
      #expect(command.ends(within: .testLimit))
    }
  }

  @Test func `do not outlive the daemon, even if they do not care for being asked`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.directory.write(
        "stubborn", "trap '' TERM; echo $$ >\"$1.part\"; mv \"$1.part\" \"$1\"; while :; do sleep 1; done\n")
      let stubborn = "/bin/sh '\(tree.path("stubborn"))'"
      // The second command obeys SIGTERM, but its child does not.
      try tree.setCommands([
        Self.shell("exec \(stubborn) '\(tree.path("lone"))'", ("events", ["refreshed"])),
        Self.shell("\(stubborn) '\(tree.path("child"))' & wait", ("events", ["refreshed"])),
      ])
      _ = try tree.token("work", "--force-refresh")
      let lone = try OtherProcess(try #require(Int32(try Self.awaitFile("lone", tree).dropLast())))
      let child = try OtherProcess(try #require(Int32(try Self.awaitFile("child", tree).dropLast())))
      let daemon = try OtherProcess(try tree.daemon())
      #expect(try tree.agent("daemon", "stop").succeeded)
      #expect(daemon.ends(within: .testLimit))
      #expect(lone.ends(within: .testLimit) && child.ends(within: .testLimit))
    }
  }

  @Test func `that cannot be read make the settings invalid, by the member`() throws {
    try Session.with { session in
      try session.tree.setCommands([["run": ["/bin/true"]], ["run": ["true"]]])
      let result = try session.tree.agent("token")
      #expect(result.failed(1) && result.errorText.contains("on[1].run"), "\(result.errorText)")
      try session.tree.setCommands([])
      #expect(try session.tree.agent("token").succeeded)
    }
  }
}
