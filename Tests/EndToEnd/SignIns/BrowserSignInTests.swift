import Encoding
import Platform
import TestSupport
import Testing

/// RFC 6749 section 4.1, RFC 7636, RFC 8252. curl is the browser.
@Suite(.needsPrograms) struct `Sign-in in the browser` {
  private static func with(
    approval: String = "always", _ options: [String] = [], _ body: (Issuer, AgentTree) throws -> Void
  ) throws {
    try Issuer.with(approval: approval, options) { issuer in
      try AgentTree.with { tree in try body(issuer, tree) }
    }
  }

  @Test func `ends with a session, and nothing listens any more`() throws {
    try Self.with { issuer, tree in
      let waiting = try BrowserLogin(tree, issuer)
      #expect(waiting.event["event"] == "browser")
      #expect(waiting.event["login"]?.string?.utf8.count == 32)
      #expect(waiting.event["must_paste"] == false)
      // RFC 8252 section 7.3, RFC 9207: the address literal and a port chosen by the kernel; each response names the
      // issuer.
      #expect(waiting.redirectURI.hasPrefix("http://127.0.0.1:"))
      #expect(waiting.redirectURI.hasSuffix("/callback"))
      // RFC 9126 section 4: the browser gets a reference only.
      #expect(waiting.url.hasPrefix(issuer.url + "/authorize?client_id=agent-cli&request_uri="))
      let answer = try BrowserLogin.redirect(waiting.url)
      #expect(try BrowserLogin.browse(answer) == "200")
      let end = try waiting.end()
      #expect(end.event["event"] == "signed_in" && end.status == .exited(0))
      #expect(try !tree.token().isEmpty)
      #expect(try issuer.count("pushed_requests") == 1)
      #expect(try issuer.count("code_grants") == 1)
      #expect(try BrowserLogin.browse(answer) == "000")
      #expect(try issuer.count("code_replays") == 0)
    }
  }

  @Test func `opens what BROWSER names`() throws {
    try Self.with { issuer, tree in
      try tree.directory.writeProgram("home/browser", "\(BrowserLogin.curl) -L \"$1\"")
      for options in [["--browser"], ["--browser", "--no-daemon"]] {
        let result = try tree.agent(BrowserLogin.line(issuer) + options, ["BROWSER": tree.path("home/browser")])
        #expect(result.succeeded, "\(result.errorText)")
      }
    }
  }

  // Every user of the machine can read command lines.
  @Test func `gives the browser a link that is good once, and shows people the address`() throws {
    try Self.with { issuer, tree in
      try tree.directory.writeProgram("home/browser", "echo \"$*\" > '\(tree.path("home/seen"))'")
      let login = try tree.start(BrowserLogin.line(issuer) + ["--browser"], ["BROWSER": tree.path("home/browser")])
      let event = try JSON(parsing: Array(login.readLine().utf8))
      let deadline = Instant.now.advanced(by: .testLimit)
      while (try? tree.directory.read("home/seen"))?.last != UInt8(ascii: "\n") {
        try #require(Instant.now < deadline, "no browser was started")
        Threads.sleep(for: .milliseconds(20))
      }
      let link = try tree.directory.readText("home/seen").dropLast()
      let place = try #require(link.split(separator: "/").last)
      let port = try #require(try URI(event["redirect_uri"]?.string ?? "").port)
      #expect(link == "http://127.0.0.1:\(port)/\(place)" && place.utf8.count == 22)
      #expect(event["link_url"] == .string(String(link)))
      let url = try #require(event["url"]?.string)
      #expect(url.hasPrefix(issuer.url + "/authorize?"))
      #expect(try BrowserLogin.redirect(link) == url)
      #expect(try BrowserLogin.browse(String(link)) == "410")
      #expect(try BrowserLogin.browse(url) == "200")
      #expect(try login.readLine().contains("signed_in"))
      #expect(try login.wait() == .exited(0))
    }
  }

  @Test(.enabled(if: Machine.userID == 0, "only root can be two users"))
  func `serves no other user of the machine`() throws {
    try Self.with { issuer, tree in
      let waiting = try BrowserLogin(tree, issuer)
      let link = try #require(waiting.event["link_url"]?.string)
      let answer = try BrowserLogin.redirect(waiting.url)
      func stranger(_ url: String) throws -> ProcessResult {
        try ProcessRunner.shell(
          "setpriv --reuid=65534 --regid=65534 --clear-groups \(BrowserLogin.curl) -w '%{http_code}' '\(url)'")
      }
      for url in [link, answer, waiting.redirectURI] {
        let result = try stranger(url)
        #expect(!result.succeeded && result.outputText == "000", "\(url): \(result.outputText)")
      }
      #expect(try issuer.count("code_grants") == 0)
      #expect(try tree.events().count { $0["event"] == "peer_dropped" && $0["reason"] == "other_user" } == 1)
      #expect(try BrowserLogin.redirect(link) == waiting.url)
      #expect(try BrowserLogin.browse(answer) == "200")
      #expect(try waiting.end().status == .exited(0))
    }
  }

  @Test(.needsFaults, arguments: [("yes", 0), ("y", 0), ("n", 6), ("", 6)])
  func `asks the person who it was where the browser's user cannot be told`(answer: String, status: Int) throws {
    try Self.with { issuer, tree in
      let daemon = try FaultyDaemon(tree, at: ["/proc/self/net"])
      try daemon.order(1, .tooManyFiles)
      let line = BrowserLogin.line(issuer).filter { $0 != "--json" } + ["--browser", "--no-open"]
      let program = try WatchedProgram(tree, columns: 500, ["NO_COLOR": "1"], [Programs.path("agent")] + line)
      let shown = try program.until("/authorize?")
      let place = shown.rows.joined(separator: " ").split(separator: " ").first { $0.contains("/authorize?") }
      #expect(try BrowserLogin.browse(String(try #require(place))) == "200")
      let screen = try program.until("[y/N]")
      #expect(
        screen.rows.contains { $0.hasPrefix("The server \(issuer.url) identifies the user as ") }, "\(screen.rows)")
      #expect(screen.echoes)
      #expect(try issuer.count("code_grants") == 1)
      #expect(try tree.json("list")["accounts"] == [], "nothing is stored yet")
      if !answer.isEmpty { try program.type(answer) }
      try program.type("^M")
      #expect(try program.end().status == status)
      #expect(try tree.agent("token", "work").succeeded == (status == 0))
      try issuer.await("revocations", status == 0 ? 0 : 1)
      try daemon.kill()
    }
  }

  // RFC 6749 section 3.1, RFC 9700 section 2.1.2, and the nonce of OpenID Connect Core section 3.1.3.7.
  @Test(
    arguments: [
      ("break_authorization", "duplicate", 1, "server_misbehaved"),
      ("break_authorization", "access_token", 1, "server_misbehaved"),
      ("break_id_token", "nonce", 1, "id_token_rejected"), ("break_id_token", "no_nonce", 1, "id_token_rejected"),
    ] as [(String, String, Int32, String)])
  func `takes no answer that breaks the rules`(control: String, fault: String, status: Int32, code: String) throws {
    try Self.with { issuer, tree in
      try issuer.control(control, fault)
      let waiting = try BrowserLogin(tree, issuer)
      try BrowserLogin.browse(waiting.url)
      let end = try waiting.end()
      #expect(end.event["code"] == .string(code))
      #expect(end.status == .exited(status))
      if control == "break_authorization" { #expect(try issuer.count("code_grants") == 0, "no code was sent anywhere") }
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  // RFC 6749 section 4.1.2.
  @Test func `a code that was used before gives no session`() throws {
    try Self.with { issuer, tree in
      let first = try BrowserLogin(tree, issuer)
      try BrowserLogin.browse(first.url)
      #expect(try first.end().status == .exited(0))
      try issuer.control("break_authorization", "replayed_code")
      let second = try BrowserLogin(tree, issuer)
      try BrowserLogin.browse(second.url)
      let end = try second.end()
      #expect(end.event["code"] == "server_rejected")
      #expect(end.status == .exited(1))
    }
  }

  @Test func `a denial ends with status 6`() throws {
    try Self.with(approval: "never") { issuer, tree in
      let waiting = try BrowserLogin(tree, issuer)
      #expect(try BrowserLogin.browse(waiting.url) == "400")
      #expect(try waiting.end().status == .exited(6))
    }
  }

  @Test func `an interrupt closes the port and leaves nothing`() throws {
    try Self.with { issuer, tree in
      let waiting = try BrowserLogin(tree, issuer)
      let answer = try BrowserLogin.redirect(waiting.url)
      try waiting.giveUp()
      #expect(try BrowserLogin.browse(answer) == "000")
      #expect(try issuer.count("code_grants") == 0)
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  @Test(arguments: [[], ["--no-daemon"]]) func `takes the address that is pasted`(options: [String]) throws {
    try Self.with { issuer, tree in
      let login = try tree.start(BrowserLogin.line(issuer) + ["--paste"] + options)
      let event = try JSON(parsing: Array(login.readLine().utf8))
      #expect(event["must_paste"] == true)
      let answer = try BrowserLogin.redirect(try #require(event["url"]?.string))
      try login.send(answer + "\n")
      let end = try JSON(parsing: Array(login.readLine().utf8))
      #expect(end["event"] == "signed_in")
      #expect(try login.wait() == .exited(0))
      let code = try BrowserLogin.value(of: "code", in: answer)
      #expect(try tree.files(containing: [code]) == [])
    }
  }

  @Test func `any connection may hand the address over`() throws {
    try Self.with { issuer, tree in
      let waiting = try BrowserLogin(tree, issuer)
      let name = try #require(waiting.event["login"]?.string)
      let answer = try BrowserLogin.redirect(waiting.url)
      func hand(_ login: String, _ url: String) throws -> JSON {
        let line = #"{"v":1,"request":"login_redirect","login":"\#(login)","url":"\#(url)"}"#
        return try JSON(parsing: Array(Peer(tree.socketPath).ask(line).utf8))
      }
      #expect(try hand("0f", answer)["error"]?["code"] == "redirect_rejected")
      #expect(try hand(name, waiting.redirectURI + "?code=c&state=s")["error"]?["code"] == "redirect_rejected")
      #expect(try hand(name, answer)["result"]?["account"] == "work")
      #expect(try waiting.end().status == .exited(0))
      #expect(try hand(name, answer)["error"]?["code"] == "redirect_rejected")
    }
  }
}
