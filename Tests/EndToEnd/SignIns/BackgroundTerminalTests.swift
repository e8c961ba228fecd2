import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A sign-in in the background, on a terminal` {
  private static func with(approval: String = "ask", _ body: (Issuer, AgentTree) throws -> Void) throws {
    try Issuer.with(approval: approval) { issuer in try AgentTree.with { tree in try body(issuer, tree) } }
  }

  private static func start(_ issuer: Issuer, _ options: String...) -> [String] {
    ["login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--start"] + options
  }

  private static func watch(_ tree: AgentTree, _ command: [String]) throws -> WatchedProgram {
    try WatchedProgram(tree, columns: 80, ["AGENT_QR_CODE": "never"], [Programs.path("agent")] + command)
  }

  /// Starts a sign-in. The last lines of the screen are its name and how to resume it.
  private static func started(_ tree: AgentTree, _ command: [String]) throws -> (WatchedProgram.Screen, String) {
    let end = try watch(tree, command).end()
    try #require(end.status == 0 && end.echoes, "\(end.rows)")
    let login = try #require(end.lines.last?.split(separator: " ").last)
    try #require(login.utf8.count == 32 && end.lines.contains(String(login)), "\(end.rows)")
    return (end, String(login))
  }

  @Test func `shows what to do, its name, and the terminal as it was`() throws {
    try Self.with { issuer, tree in
      let (screen, login) = try Self.started(tree, Self.start(issuer))
      #expect(!screen.rows.contains { $0.contains(" left.") })
      #expect(!screen.bold.isEmpty && screen.column == 0)
      let waiting = try Self.watch(tree, ["login", "--resume", login, "--start"]).end()
      #expect(waiting.status == 4)
      #expect(waiting.rows == ["agent: the sign-in is not approved yet"])
    }
  }

  @Test func `tells programs in JSON`() throws {
    try Self.with { issuer, tree in
      let end = try Self.watch(tree, Self.start(issuer, "--json")).end()
      #expect(end.status == 0 && end.echoes && !end.raw.contains("\u{1B}"))
      let events = try end.lines.map { try JSON(parsing: Array($0.utf8)) }
      try #require(events.count == 2)
      #expect(events[0]["event"] == "device_code" && events[1]["event"] == "started")
      #expect(events[0]["login"] == events[1]["login"])
      let login = try #require(events[1]["login"]?.string)
      try issuer.control("approve", try #require(events[0]["user_code"]?.string))
      let resumed = try Self.watch(tree, ["login", "--resume", login, "--json"]).end()
      #expect(resumed.status == 0 && resumed.echoes)
      #expect(try JSON(parsing: Array(try #require(resumed.lines.last).utf8))["event"] == "signed_in")
    }
  }

  @Test func `is taken up with the same screen, and waits for the approval`() throws {
    try Self.with { issuer, tree in
      let (first, login) = try Self.started(tree, Self.start(issuer))
      let program = try Self.watch(tree, ["login", "--resume", login])
      let screen = try program.until(" left.")
      #expect(screen.bold == first.bold)
      #expect(screen.rows.dropLast().elementsEqual(first.rows.prefix(screen.rows.count - 1)))
      try issuer.control("approve", screen.bold)
      let end = try program.end()
      #expect(end.status == 0 && end.echoes)
      #expect(end.lines.last?.hasPrefix("agent: signed in to \(issuer.url) as ") == true)
    }
  }

  @Test func `goes on when the wait for it is given up, and says so`() throws {
    try Self.with { issuer, tree in
      let (_, login) = try Self.started(tree, Self.start(issuer))
      let program = try Self.watch(tree, ["login", "--resume", login])
      let screen = try program.until(" left. Ctrl-C stops waiting.")
      try program.interrupt()
      let end = try program.end()
      #expect(end.status == 130 && end.echoes)
      #expect(end.rows.starts(with: screen.rows.dropLast()))
      let words = "agent: the sign-in continues in the background; to wait for it: agent login --resume \(login)"
      #expect(end.lines.last == words)
      try issuer.control("approve", screen.bold)
      #expect(try Self.watch(tree, ["login", "--resume", login]).end().status == 0)
    }
  }

  @Test(arguments: [true, false]) func `by a pasted address is finished where it is taken up`(
    onTerminal: Bool
  ) throws {
    try Self.with(approval: "always") { issuer, tree in
      let (screen, login) = try Self.started(tree, Self.start(issuer, "--paste"))
      let url = try #require(screen.lines.map { $0.drop { $0 == " " } }.first { $0.hasPrefix(issuer.url + "/auth") })
      let answer = try BrowserLogin.redirect(url)
      if onTerminal {
        let program = try Self.watch(tree, ["login", "--resume", login])
        try program.until(" left.")
        try program.untilEcho(false)
        try program.type(answer)
        try program.type("^M")
        let end = try program.end()
        #expect(end.status == 0 && end.echoes && !end.raw.contains(answer))
      } else {
        // A regular file, which cannot be polled.
        try tree.directory.write("home/answer", answer)
        let result = try tree.shell("dash", "agent login --resume \(login) --json <answer")
        #expect(result.succeeded, "\(result.errorText)")
        #expect(try JSON(parsing: Array(try #require(result.lines.last).utf8))["event"] == "signed_in")
      }
      #expect(try !tree.token().isEmpty)
    }
  }
}
