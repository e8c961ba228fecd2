import Encoding
import Platform
import TestSupport
import Testing

/// The screen that a user sees, on a real pseudo-terminal of several widths.
@Suite(.needsPrograms) struct `On a terminal` {
  /// A sign-in that waits for its approval.
  private struct SignIn {
    let tree: AgentTree
    let issuer: Issuer
    let program: WatchedProgram
    /// The screen with the countdown.
    let screen: WatchedProgram.Screen

    /// The code, the only bold text.
    var code: String { screen.bold }

    static func with(
      columns: Int, cuts: Bool = false, _ variables: [String: String?] = [:], until text: String = " left.",
      _ options: String..., body: (SignIn) throws -> Void
    ) throws {
      try Issuer.with(approval: "ask") { issuer in
        try AgentTree.with { tree in
          let command = try [
            Programs.path("agent"), "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli",
            "--allow-http-loopback", "--scope", "openid profile email offline_access",
          ]
          let variables = variables.merging(["AGENT_QR_CODE": "never"]) { given, _ in given }
          let program = try WatchedProgram(tree, columns: columns, cuts: cuts, variables, command + options)
          try body(SignIn(tree: tree, issuer: issuer, program: program, screen: try program.until(text)))
        }
      }
    }

    func approve() throws { try issuer.control("approve", code) }
  }

  @Test(arguments: [40, 80, 200]) func `the code and the addresses are whole and alone on their lines`(
    columns: Int
  ) throws {
    try SignIn.with(columns: columns) { signIn in
      let screen = signIn.screen
      let lines = screen.lines.map { $0.drop { $0 == " " } }
      #expect(!signIn.code.isEmpty)
      #expect(screen.rows.contains { $0.drop { $0 == " " } == signIn.code })
      #expect(lines.count { $0 == signIn.code } == 1)
      #expect(lines.count { $0 == "\(signIn.issuer.url)/device" } == 1)
      #expect(lines.contains { $0.hasPrefix("\(signIn.issuer.url)/device?") && $0.hasSuffix(signIn.code) })
      for scope in ["openid", "profile", "email", "offline_access"] {
        #expect(lines.contains { $0.split(separator: " ").contains { $0 == scope } })
      }
      #expect(lines.contains("never enter a code that someone sent you.") || columns == 40)
      #expect(screen.rows.allSatisfy { $0.count <= min(columns, 100) })
      #expect(screen.rows.last?.hasPrefix("Waiting") == true)
      #expect(screen.column == 0 && screen.row == screen.rows.count - 1)
      try signIn.approve()
      let end = try signIn.program.end()
      #expect(end.status == 0)
      #expect(end.rows.starts(with: screen.rows.dropLast()))
      #expect(end.lines.last?.hasPrefix("agent: signed in to \(signIn.issuer.url) as ") == true)
      #expect(end.lines.count == screen.lines.count)
      #expect(end.column == 0 && end.row == end.rows.count)
    }
  }

  @Test(arguments: [40, 12, 6]) func `the countdown goes on in its row at any width`(columns: Int) throws {
    try SignIn.with(columns: columns, until: ":5") { signIn in
      let first = signIn.screen.rows
      let now = try #require(first.last)
      let later = try signIn.program.without(now)
      #expect(later.rows.count == first.count)
      #expect(later.rows.dropLast() == first.dropLast())
      try signIn.program.interrupt()
      #expect(try signIn.program.end().status == 130)
    }
  }

  @Test(arguments: [false, true]) func `a change of the width leaves nothing behind`(cuts: Bool) throws {
    try SignIn.with(columns: 80, cuts: cuts) { signIn in
      for columns in [45, 30, 120] {
        // Broken or cut, the old countdown remains until the next second.
        let before = try #require(signIn.program.resize(columns).lines.last)
        try signIn.program.without(before)
        let screen = try signIn.program.until(" left.")
        let wording = columns == 120 ? "Waiting for your approval, " : "Waiting, "
        #expect(screen.rows.count { $0.contains("Waiting") } == 1)
        #expect(screen.rows.count { $0.contains("cancels") } <= 1)
        #expect(screen.rows.contains { $0.drop { $0 == " " } == signIn.code })
        #expect(screen.rows.last?.hasPrefix(wording) == true)
      }
      try signIn.program.interrupt()
      let end = try signIn.program.end()
      #expect(!end.rows.contains { $0.contains("Waiting") })
      #expect(end.rows.last == "agent: sign-in cancelled")
    }
  }

  @Test func `Ctrl-C leaves nothing behind, here and at the daemon`() throws {
    try Session.with { session in
      let tree = session.tree
      func state() throws -> JSON? { try tree.json("status")["accounts"]?.array?.first?["state"] }
      try session.issuer.control("approval", "ask")
      let program = try WatchedProgram(tree, columns: 80, [:], [Programs.path("agent"), "login", "work"])
      try program.until("Sign in again?")
      try program.type("y")
      try program.type("^M")
      let screen = try program.until(" left.")
      #expect(try state() == "signing_in")
      try program.interrupt()
      let end = try program.end()
      #expect(end.status == 130)
      #expect(end.rows == screen.rows.dropLast() + ["agent: sign-in cancelled"])
      #expect(end.column == 0)
      // The daemon notices the disconnect a moment later.
      let deadline = Instant.now.advanced(by: .testLimit)
      while try state() != "active" {
        try #require(Instant.now < deadline, "the daemon goes on with the sign-in")
        Threads.sleep(for: .milliseconds(20))
      }
      let grants = try session.issuer.count("device_grants")
      try session.issuer.control("approve", screen.bold)
      // Longer than the interval between two polls.
      Threads.sleep(for: .milliseconds(1500))
      #expect(try session.issuer.count("device_grants") == grants)
    }
  }

  @Test func `a request to end leaves the line clean`() throws {
    try SignIn.with(columns: 40) { signIn in
      try signIn.program.signal(Signals.SIGTERM)
      let end = try signIn.program.end()
      #expect(end.status == 143)
      #expect(end.rows == signIn.screen.rows.dropLast() + ["agent: sign-in cancelled"])
    }
  }

  @Test func `a failure takes the place of the countdown`() throws {
    try SignIn.with(columns: 80, ["NO_COLOR": "1"], "--timeout", "15s") { signIn in
      let end = try signIn.program.end()
      #expect(end.status != 0)
      #expect(!end.rows.contains { $0.hasPrefix("Waiting") })
      #expect(end.rows.contains { $0.hasPrefix("agent: error: ") })
      #expect(end.column == 0)
    }
  }

  @Test func `no colour is no style at all`() throws {
    try SignIn.with(columns: 80, ["NO_COLOR": "1"]) { signIn in
      #expect(!signIn.screen.raw.contains("\u{1B}[1m") && signIn.screen.bold == "")
      try signIn.program.interrupt()
      _ = try signIn.program.end()
    }
  }

  @Test(arguments: ["dumb", nil]) func `a terminal that can do nothing gets plain lines`(term: String?) throws {
    try SignIn.with(columns: 80, ["TERM": term]) { signIn in
      try signIn.program.interrupt()
      let end = try signIn.program.end()
      #expect(!end.raw.contains("\u{1B}"))
      #expect(end.status == 130)
      #expect(end.rows.last?.hasSuffix("agent: sign-in cancelled") == true)
    }
  }

  @Test func `a quiet sign-in shows the address and the code, and no more`() throws {
    try SignIn.with(columns: 80, until: "and type the code", "--quiet") { signIn in
      let screen = try signIn.program.until("-")
      #expect(screen.rows == ["Open", "  \(signIn.issuer.url)/device", "and type the code", "  \(screen.bold)"])
      try signIn.issuer.control("approve", screen.bold)
      let end = try signIn.program.end()
      #expect(end.status == 0 && end.rows == screen.rows)
    }
  }

  // MARK: Progress

  private static let progress = "waiting for the authorization server…"

  /// The issuer does not respond until the test requests it.
  private func slowly(
    _ command: [String], columns: Int = 80, body: (Session, WatchedProgram) throws -> Void
  ) throws {
    try Session.with { session in
      try session.issuer.control("hang", "token")
      let program = try WatchedProgram(session.tree, columns: columns, [:], [Programs.path("agent")] + command)
      try session.issuer.await("hangs", 1)
      try body(session, program)
    }
  }

  @Test func `a slow answer is explained on one line, which is gone when it comes`() throws {
    try slowly(["token", "work", "--force-refresh"]) { session, program in
      let screen = try program.until(Self.progress)
      #expect(screen.rows == [Self.progress])
      try session.issuer.control("hang", "off")
      let end = try program.end()
      #expect(end.status == 0)
      #expect(try end.lines.first == session.tree.token())
      #expect(end.lines.count == 2 && end.lines[1].hasPrefix("agent: the token stays on the screen"), "\(end.lines)")
    }
  }

  @Test(arguments: [[], ["--header"], ["--quiet"]])
  func `a token is followed by a notice that it stays on the screen`(options: [String]) throws {
    try Session.with { session in
      let token = try session.tree.token()
      let program = try WatchedProgram(session.tree, columns: 200, [:], [Programs.path("agent"), "token"] + options)
      let end = try program.end()
      #expect(end.status == 0 && end.lines.first?.hasSuffix(token) == true, "\(end.lines)")
      let notices = end.lines.dropFirst()
      #expect(notices.count == (options == ["--quiet"] ? 0 : 1), "\(end.lines)")
      #expect(notices.allSatisfy { $0.hasPrefix("agent: the token stays on the screen") }, "\(end.lines)")
    }
  }

  @Test(arguments: [([], true), (["--quiet"], false), (["--var", "OWNER=account"], false)])
  func `variables are followed by that notice if one has a token`(options: [String], isNoticed: Bool) throws {
    try Session.with { session in
      let program = try WatchedProgram(session.tree, columns: 200, [:], [Programs.path("agent"), "env"] + options)
      let end = try program.end()
      #expect(end.status == 0 && end.raw.contains("the token stays on the screen") == isNoticed, "\(end.lines)")
    }
  }

  @Test(arguments: ["--quiet", "--json"]) func `a slow answer is not explained with an option`(
    option: String
  ) throws {
    try slowly(["token", "work", "--force-refresh", option]) { session, program in
      Threads.sleep(for: .milliseconds(1500))
      try session.issuer.control("hang", "off")
      let end = try program.end()
      #expect(end.status == 0 && !end.raw.contains("waiting"))
    }
  }

  @Test(arguments: [Signals.SIGINT, Signals.SIGTERM]) func `a wait that is given up leaves the line clean`(
    signal: Int32
  ) throws {
    try slowly(["token", "work", "--force-refresh"], columns: 40) { session, program in
      try program.until(Self.progress)
      if signal == Signals.SIGINT { try program.interrupt() } else { try program.signal(signal) }
      let end = try program.end()
      #expect(end.status == 128 + Int(signal))
      #expect(end.rows == [] && end.column == 0)
      try session.issuer.control("hang", "off")
    }
  }
}
