import Encoding
import Platform
import TestSupport
import Testing

/// `login --paste`: the user pastes the URL at which the browser ends.
@Suite(.needsPrograms) struct `An address that is pasted` {
  /// A sign-in on a terminal that waits for the URL.
  private struct Waiting {
    let tree: AgentTree
    let issuer: Issuer
    let program: WatchedProgram
    let screen: WatchedProgram.Screen

    init(_ tree: AgentTree, _ issuer: Issuer) throws {
      self.tree = tree
      self.issuer = issuer
      let command = try [Programs.path("agent")] + Waiting.line(issuer) + ["--paste"]
      program = try WatchedProgram(tree, columns: 80, ["NO_COLOR": "1"], command)
      screen = try program.until(" left.")
      try program.untilEcho(false)
    }

    static func line(_ issuer: Issuer) -> [String] { BrowserLogin.line(issuer).dropLast() }

    /// The URL to which the issuer redirects the browser.
    func answer() throws -> String {
      try BrowserLogin.redirect(
        try #require(screen.lines.map { $0.drop { $0 == " " } }.first { $0.hasPrefix(issuer.url + "/auth") }))
    }

    func paste(_ text: String) throws {
      try program.type(text)
      try program.type("^M")
    }
  }

  /// The secret values of a URL.
  private static func secrets(of answer: String) throws -> [String] {
    try Form.parse(try #require(try URI(answer).query)).filter { ["code", "state"].contains($0.name) }.map(\.value)
  }

  private static func with(_ body: (Issuer, AgentTree) throws -> Void) throws {
    try Issuer.with { issuer in try AgentTree.with { tree in try body(issuer, tree) } }
  }

  /// Expects none on the screen, in a file, or in the daemon's log.
  private static func expectNowhere(_ secrets: [String], _ tree: AgentTree, _ screen: WatchedProgram.Screen) throws {
    try #require(secrets.count == 2)
    let log = try tree.agent("daemon", "log", "--json").outputText
    #expect(log.contains("sign_in_began"))
    for secret in secrets { #expect(!screen.raw.contains(secret) && !log.contains(secret)) }
    #expect(try tree.files(containing: secrets) == [])
  }

  // MARK: On a terminal

  @Test func `ends the sign-in, and is seen nowhere`() throws {
    try Self.with { issuer, tree in
      let waiting = try Waiting(tree, issuer)
      #expect(waiting.screen.lines.contains { $0.drop { $0 == " " }.hasPrefix("http://127.0.0.1/") })
      let answer = try waiting.answer()
      try waiting.paste(answer)
      let end = try waiting.program.end()
      #expect(end.status == 0 && end.echoes)
      #expect(end.rows.starts(with: waiting.screen.rows.dropLast()))
      #expect(end.lines.last?.hasPrefix("agent: signed in to \(issuer.url) as ") == true)
      #expect(end.lines.count == waiting.screen.lines.count)
      #expect(try !tree.token().isEmpty)
      try Self.expectNowhere(try Self.secrets(of: answer), tree, end)
    }
  }

  @Test(arguments: ["http://127.0.0.1:1/?code=c&state=s", "wrong words", "\u{1B}[31m\u{7F}"])
  func `that is the wrong one is asked for again`(wrong: String) throws {
    try Self.with { issuer, tree in
      let waiting = try Waiting(tree, issuer)
      try waiting.program.type("^M")
      try waiting.paste(wrong)
      let refusal = "this address does not belong to this sign-in; copy the complete address"
      let refused = try waiting.program.until(refusal)
      #expect(refused.rows.joined().contains("it begins with http://127.0.0.1/"))
      let again = try waiting.program.until(" left.")
      #expect(again.rows.last?.hasPrefix("Paste the address and press Enter (hidden):") == true && !again.echoes)
      #expect(again.rows.count { $0.contains("this address does not belong") } == 1)
      #expect(try issuer.count("code_grants") == 0)
      try waiting.paste(try waiting.answer())
      let end = try waiting.program.end()
      #expect(end.status == 0 && end.echoes)
      #expect(!end.raw.contains("code=c") && !end.raw.contains("wrong words"))
    }
  }

  // RFC 6749 section 4.1.2 does not limit the length of a code; a terminal delivers at most 4,095 characters of a
  // line.
  @Test func `may be longer than a line of the terminal`() throws {
    try Self.with { issuer, tree in
      let waiting = try Waiting(tree, issuer)
      let answer = try waiting.answer()
      let mark = try #require(answer.firstIndex(of: "?"))
      let padding = "?padding=" + String(repeating: "p", count: 8000) + "&"
      try waiting.paste(answer[..<mark] + padding + answer[mark...].dropFirst())
      #expect(try waiting.program.end().status == 0)
    }
  }

  @Test(arguments: ["quotes", "marks", "lines"]) func `may come as a chat or a terminal changes it`(how: String) throws
  {
    try Self.with { issuer, tree in
      let waiting = try Waiting(tree, issuer)
      let answer = try waiting.answer()
      let middle = answer.index(answer.startIndex, offsetBy: answer.count - 10)
      let text =
        switch how {
        case "quotes": "\"<\(answer)>\""
        case "marks": "\u{1B}[200~\(answer[..<middle])\r\(answer[middle...])\u{1B}[201~"
        default: "\(answer[..<middle])\r\(answer[middle...])"
        }
      try waiting.paste(text)
      #expect(try waiting.program.end().status == 0)
    }
  }

  @Test func `can be mended before it is sent`() throws {
    try Self.with { issuer, tree in
      let waiting = try Waiting(tree, issuer)
      let answer = try waiting.answer()
      // Ctrl-U deletes everything, and backspace one character.
      try waiting.program.type("something else\u{15}" + answer + "xy\u{7F}\u{7F}")
      try waiting.program.type("^M")
      #expect(try waiting.program.end().status == 0)
    }
  }

  @Test func `that ends before it came is a failure`() throws {
    try Self.with { issuer, tree in
      let waiting = try Waiting(tree, issuer)
      try waiting.program.type("\u{04}")
      let end = try waiting.program.end()
      #expect(end.status == 2 && end.echoes)
      #expect(end.lines.contains("agent: error: the input ended before the address was complete"))
    }
  }

  @Test func `can be given up, and leaves nothing behind`() throws {
    try Self.with { issuer, tree in
      let waiting = try Waiting(tree, issuer)
      let answer = try waiting.answer()
      try waiting.program.type(answer)
      try waiting.program.interrupt()
      let end = try waiting.program.end()
      #expect(end.status == 130 && end.echoes)
      #expect(end.rows == waiting.screen.rows.dropLast() + ["agent: sign-in cancelled"])
      try tree.awaitEvent("sign_in_ended", of: "work")
      #expect(try tree.json("status")["accounts"]?.array?.isEmpty == true)
      #expect(try issuer.count("code_grants") == 0)
      try Self.expectNowhere(try Self.secrets(of: answer), tree, end)
    }
  }

  /// Unsent input would be the shell's next command.
  @Test func `that was given up is not left to the shell`() throws {
    try Self.with { issuer, tree in
      let agent = try Programs.path("agent")
      let login = (["'\(agent)'"] + Waiting.line(issuer) + ["--paste"]).joined(separator: " ")
      let script = "trap : INT; \(login); echo \"ended: $?\"; read -r line; echo \"typed: $line.\""
      let program = try WatchedProgram(tree, columns: 80, ["HISTFILE": nil], ["/bin/bash", "--norc", "-c", script])
      try program.until(" left.")
      try program.untilEcho(false)
      try program.type("half an address")
      try program.interrupt()
      try program.until("ended: 130")
      try program.untilEcho(true)
      try program.type("next\r")
      try program.until("typed: next.")
      #expect(try program.end().status == 0)
    }
  }

  // MARK: Without a terminal

  @Test(arguments: [[], ["--no-daemon"]]) func `through a pipe is one try`(options: [String]) throws {
    try Self.with { issuer, tree in
      let login = try tree.start(Waiting.line(issuer) + ["--paste", "--json"] + options)
      let event = try JSON(parsing: Array(login.readLine().utf8))
      #expect(event["must_paste"] == true)
      let answer = try BrowserLogin.redirect(try #require(event["url"]?.string))
      try login.send(answer.replacing("state=", with: "state=x") + "\n")
      #expect(try JSON(parsing: Array(login.readLine().utf8))["code"] == "redirect_rejected")
      #expect(try login.wait() == .exited(1))
      #expect(try issuer.count("code_grants") == 0)
      for secret in try Self.secrets(of: answer) { #expect(!login.errorText.contains(secret)) }
    }
  }
}
