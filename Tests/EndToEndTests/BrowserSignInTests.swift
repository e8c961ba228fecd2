import Encoding
import Platform
import TestSupport
import Testing

/// A field of a URL's query.
private func value(of name: String, in url: String) throws -> String {
  let query = try #require(try URI(url).query)
  return try #require(try Form.parse(query).first { $0.name == name }).value
}

/// Sign-in in the browser (RFC 6749 section 4.1, RFC 7636, RFC 8252), which curl plays.
@Suite(.needsPrograms) struct `Sign-in in the browser` {
  /// A sign-in that has told its address.
  private struct Waiting {
    let login: RunningProcess
    let event: JSON

    init(_ tree: AgentTree, _ issuer: Issuer, _ options: String...) throws {
      login = try tree.start(Waiting.line(issuer) + ["--browser", "--no-open"] + options)
      event = try JSON(parsing: Array(login.readLine().utf8))
    }

    static func line(_ issuer: Issuer) -> [String] {
      ["login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--json"]
    }

    var url: String { event["url"]?.string ?? "" }
    var redirectURI: String { event["redirect_uri"]?.string ?? "" }

    /// The state that this sign-in waits for; the request must not have been pushed.
    func state() throws -> String { try value(of: "state", in: url) }

    func end() throws -> (event: JSON, status: Platform.ExitStatus) {
      (try JSON(parsing: Array(login.readLine().utf8)), try login.wait())
    }
  }

  private static let curl = "curl -qsS --noproxy '*' --max-time 10 -o /dev/null"

  /// The status of the page that a browser ends at.
  @discardableResult
  private static func browse(_ url: String, _ options: String = "") throws -> String {
    try ProcessRunner.shell("\(curl) -L -w '%{http_code}' \(options) '\(url)'").outputText
  }

  /// Where the issuer sends a browser to.
  private static func redirect(_ url: String) throws -> String {
    try ProcessRunner.shell("\(curl) -w '%{redirect_url}' '\(url)'").outputText
  }

  private static func with(
    approval: String = "always", _ options: [String] = [], _ body: (Issuer, AgentTree) throws -> Void
  ) throws {
    try Issuer.with(approval: approval, options) { issuer in
      try AgentTree.with { tree in try body(issuer, tree) }
    }
  }

  @Test func `ends with a session, and nothing listens any more`() throws {
    try Self.with { issuer, tree in
      let waiting = try Waiting(tree, issuer)
      #expect(waiting.event["event"] == "browser")
      #expect(waiting.event["login"]?.string?.utf8.count == 32)
      #expect(waiting.event["must_paste"] == false)
      // RFC 8252 section 7.3 and 8.10: the literal, a port of the kernel's, a path of the issuer's.
      #expect(waiting.redirectURI.hasPrefix("http://127.0.0.1:"))
      #expect(waiting.redirectURI.hasSuffix("/" + issuer.url.dropFirst("http://".count)))
      // RFC 9126 section 4: the browser gets a reference only.
      #expect(waiting.url.hasPrefix(issuer.url + "/authorize?client_id=agent-cli&request_uri="))
      let answer = try Self.redirect(waiting.url)
      #expect(try Self.browse(answer) == "200")
      let end = try waiting.end()
      #expect(end.event["event"] == "signed_in" && end.status == .exited(0))
      #expect(try !tree.token().isEmpty)
      #expect(try issuer.count("pushed_requests") == 1)
      #expect(try issuer.count("code_grants") == 1)
      // The same answer once more finds nobody.
      #expect(try Self.browse(answer) == "000")
      #expect(try issuer.count("code_replays") == 0)
    }
  }

  @Test func `opens what BROWSER names`() throws {
    try Self.with { issuer, tree in
      try tree.directory.write("home/browser", "#!/bin/sh\n\(Self.curl) -L \"$1\"\n")
      _ = try ProcessRunner.shell("chmod +x '\(tree.path("home/browser"))'")
      for options in [["--browser"], ["--browser", "--no-daemon"]] {
        let result = try tree.agent(Waiting.line(issuer) + options, ["BROWSER": tree.path("home/browser")])
        #expect(result.succeeded, "\(result.errorText)")
      }
    }
  }

  // CSRF and redirect probing: RFC 6749 section 10.12, RFC 8252 section 8.9.
  @Test func `goes on waiting when others come to its address`() throws {
    try Self.with { issuer, tree in
      try issuer.control("par", "off")
      let waiting = try Waiting(tree, issuer)
      let state = try waiting.state()
      let place = waiting.redirectURI
      #expect(try Self.browse("\(place)?code=stolen&state=guess") == "400")
      #expect(try Self.browse("\(place)?error=access_denied") == "400")
      #expect(try Self.browse("\(place)?code=stolen&state=\(state)&state=\(state)") == "400")
      #expect(try Self.browse("\(place)x?code=c&state=\(state)") == "404")
      #expect(try Self.browse("\(place)?code=c&state=\(state)", "-I") == "405")
      #expect(try Self.browse("\(place)?code=c&state=\(state)", "-H 'Host: evil.example'") == "404")
      #expect(try issuer.count("code_grants") == 0)
      #expect(try Self.browse(waiting.url) == "200")
      #expect(try waiting.end().status == .exited(0))
    }
  }

  // Mix-up: RFC 9207 section 2.4. Code injection: the nonce of OpenID Connect Core 1.0 section 3.1.3.7.
  @Test(
    arguments: [
      ("break_authorization", "wrong_iss", 1, "server_misbehaved"),
      ("break_authorization", "missing_iss", 1, "server_misbehaved"),
      ("break_authorization", "duplicate", 1, "server_misbehaved"),
      ("break_authorization", "access_token", 1, "server_misbehaved"),
      ("break_id_token", "nonce", 1, "id_token_rejected"), ("break_id_token", "no_nonce", 1, "id_token_rejected"),
    ] as [(String, String, Int32, String)])
  func `takes no answer that breaks the rules`(control: String, fault: String, status: Int32, code: String) throws {
    try Self.with { issuer, tree in
      try issuer.control(control, fault)
      let waiting = try Waiting(tree, issuer)
      try Self.browse(waiting.url)
      let end = try waiting.end()
      #expect(end.event["code"] == .string(code))
      #expect(end.status == .exited(status))
      if control == "break_authorization" { #expect(try issuer.count("code_grants") == 0, "no code was sent anywhere") }
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  // Code replay: RFC 6749 section 4.1.2, RFC 7636 section 4.6.
  @Test func `a code of another sign-in gives no session`() throws {
    try Self.with { issuer, tree in
      let first = try Waiting(tree, issuer)
      try Self.browse(first.url)
      #expect(try first.end().status == .exited(0))
      try issuer.control("break_authorization", "replayed_code")
      let second = try Waiting(tree, issuer)
      try Self.browse(second.url)
      let end = try second.end()
      #expect(end.event["code"] == "server_rejected")
      #expect(end.status == .exited(1))
    }
  }

  // PKCE downgrade: RFC 9700 section 2.1.1.
  @Test func `does not begin where PKCE is weak`() throws {
    try Self.with { issuer, tree in
      try issuer.control("break_metadata", "plain")
      let result = try tree.agent(Waiting.line(issuer) + ["--browser", "--no-open"])
      #expect(result.status == .exited(1))
      #expect(result.failureCode == "server_misbehaved")
      #expect(try issuer.count("authorizations") == 0)
      #expect(try issuer.count("pushed_requests") == 0)
    }
  }

  // Port squatting.
  @Test func `does not wait at a port that another program has`() throws {
    try Self.with { issuer, tree in
      let squatter = try UnixSocket.listenLoopback(port: 0)
      let uri = "http://127.0.0.1:\(try UnixSocket.localPort(squatter))/cb"
      let result = try tree.agent(Waiting.line(issuer) + ["--browser", "--no-open", "--redirect-uri", uri])
      #expect(result.status == .exited(1))
      #expect(result.failureCode == "redirect_unavailable")
      #expect(try issuer.count("pushed_requests") == 0)
    }
  }

  @Test func `a denial ends with status 6`() throws {
    try Self.with(approval: "never") { issuer, tree in
      let waiting = try Waiting(tree, issuer)
      #expect(try Self.browse(waiting.url) == "400")
      #expect(try waiting.end().status == .exited(6))
    }
  }

  @Test func `an interrupt closes the port and leaves nothing`() throws {
    try Self.with { issuer, tree in
      let waiting = try Waiting(tree, issuer)
      let answer = try Self.redirect(waiting.url)
      try waiting.login.signal(Signals.SIGINT)
      #expect(try waiting.login.wait() == .exited(130))
      // The daemon notices when it reads the end of the connection.
      let deadline = Instant.now.advanced(by: .seconds(10))
      while try Self.browse(waiting.redirectURI) != "000", Instant.now < deadline {
        Threads.sleep(for: .milliseconds(20))
      }
      #expect(try Self.browse(answer) == "000")
      #expect(try issuer.count("code_grants") == 0)
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  @Test(arguments: [[], ["--no-daemon"]]) func `takes the address that is pasted`(options: [String]) throws {
    try Self.with { issuer, tree in
      let login = try tree.start(Waiting.line(issuer) + ["--paste"] + options)
      let event = try JSON(parsing: Array(login.readLine().utf8))
      #expect(event["must_paste"] == true)
      let answer = try Self.redirect(try #require(event["url"]?.string))
      try login.send(answer + "\n")
      let end = try JSON(parsing: Array(login.readLine().utf8))
      #expect(end["event"] == "signed_in")
      #expect(try login.wait() == .exited(0))
      let code = try value(of: "code", in: answer)
      #expect(try tree.files(containing: [code]) == [])
    }
  }

  @Test func `any connection may hand the address over`() throws {
    try Self.with { issuer, tree in
      let waiting = try Waiting(tree, issuer)
      let name = try #require(waiting.event["login"]?.string)
      let answer = try Self.redirect(waiting.url)
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
