import Platform
import TestSupport
import Testing

/// The input must not disturb the countdown, and must be visible again afterwards, however the wait ends.
@Suite(.needsPrograms) struct `What is typed during a sign-in` {
  /// Signs in, waits for the countdown, and passes the program and the approval of its code to `body`.
  private func waiting(
    _ variables: [String: String?] = [:], _ options: [String] = [],
    body: (WatchedProgram, () throws -> Void) throws -> Void
  ) throws {
    try Issuer.with(approval: "ask") { issuer in
      try AgentTree.with { tree in
        let command = try [
          Programs.path("agent"), "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli",
          "--allow-http-loopback",
        ]
        let program = try WatchedProgram(tree, columns: 80, variables, command + options)
        let code = try program.until(" left.").bold
        try body(program) { try issuer.control("approve", code) }
      }
    }
  }

  @Test func `is not shown, is not lost, and is shown again after the sign-in`() throws {
    try waiting { program, approve in
      try program.untilEcho(false)
      try program.type("secret words")
      try approve()
      let end = try program.end()
      #expect(end.status == 0 && end.echoes)
      #expect(!end.raw.contains("secret words"))
    }
  }

  @Test(arguments: [Signals.SIGINT, Signals.SIGTERM, Signals.SIGQUIT, Signals.SIGHUP])
  func `is shown again after a signal`(signal: Int32) throws {
    try waiting { program, _ in
      try program.untilEcho(false)
      try program.signal(signal)
      let end = try program.end()
      #expect(end.status == 128 + Int(signal) && end.echoes)
      #expect(end.rows.last == "agent: sign-in cancelled")
    }
  }

  @Test(arguments: [("^C", 130), ("^\\", 131)]) func `is shown again after a key that ends it`(
    key: String, status: Int
  ) throws {
    try waiting { program, _ in
      try program.untilEcho(false)
      try program.type(key)
      let end = try program.end()
      #expect(end.status == status && end.echoes)
    }
  }

  @Test func `is shown again after a failure`() throws {
    try waiting(["NO_COLOR": "1"], ["--timeout", "15s"]) { program, _ in
      try program.untilEcho(false)
      let end = try program.end()
      #expect(end.status == 4 && end.echoes)
    }
  }

  /// The shell, like any with job control, continues when the sign-in is suspended.
  @Test func `is shown while the sign-in is suspended, and hidden when it goes on`() throws {
    try Issuer.with(approval: "ask") { issuer in
      try AgentTree.with { tree in
        let agent = try Programs.path("agent")
        let login = "'\(agent)' login work --issuer \(issuer.url) --client-id agent-cli --allow-http-loopback"
        let script = """
          set -m
          \(login)
          echo "suspended: $?"
          read -r line
          echo "typed: $line"
          fg >/dev/null
          echo "ended: $?"
          """
        let program = try WatchedProgram(tree, columns: 80, ["HISTFILE": nil], ["/bin/bash", "--norc", "-c", script])
        let code = try program.until(" left.").bold
        try program.untilEcho(false)
        try program.type("^Z")
        let suspended = try program.until("suspended: 148")
        #expect(suspended.echoes)
        #expect(!suspended.rows.contains { $0.hasPrefix("Waiting") })
        try program.type("in between\r")
        try program.until("typed: in between")
        try program.until(" left.")
        try program.untilEcho(false)
        try issuer.control("approve", code)
        let end = try program.until("ended: 0")
        #expect(end.rows.contains { $0.hasPrefix("agent: signed in to ") })
        #expect(try program.end().echoes)
      }
    }
  }

  @Test func `is hidden again after a stop that no program can see`() throws {
    try waiting { program, approve in
      try program.untilEcho(false)
      try program.signal(Signals.SIGSTOP)
      try program.signal(Signals.SIGCONT)
      try program.until(" left.")
      #expect(try program.untilEcho(false).echoes == false)
      try approve()
      #expect(try program.end().echoes)
    }
  }

  @Test(arguments: ["dumb", nil]) func `is left alone on a terminal that shows no countdown`(term: String?) throws {
    try waiting(["TERM": term]) { program, _ in
      #expect(try program.type("visible words").echoes)
      try program.until("visible words")
      try program.interrupt()
      #expect(try program.end().echoes)
    }
  }

  @Test func `is left alone by a sign-in in the background`() throws {
    try Issuer.with(approval: "ask") { issuer in
      try AgentTree.with { tree in
        let agent = try Programs.path("agent")
        let login = "'\(agent)' login work --issuer \(issuer.url) --client-id agent-cli --allow-http-loopback"
        let script = "set -m; \(login) & read -r line; kill %1; wait %1; echo \"ended: $?\""
        let program = try WatchedProgram(tree, columns: 80, [:], ["/bin/bash", "--norc", "-c", script])
        #expect(try program.until(" left.").echoes)
        try program.type("\r")
        try program.until("ended: 143")
        #expect(try program.end().echoes)
      }
    }
  }
}
