import Encoding
import Platform
import TestSupport
import Testing

/// Attacks during a sign-in in the browser (RFC 9700 section 4, RFC 8252 section 8). Each test fails if the defence
/// that it names is removed.
@Suite(.needsPrograms) struct `A sign-in in the browser is safe from` {
  private static func with(_ body: (Issuer, AgentTree) throws -> Void) throws {
    try Issuer.with { issuer in try AgentTree.with { tree in try body(issuer, tree) } }
  }

  // RFC 9207 section 2.4.
  @Test(arguments: ["wrong_iss", "missing_iss"]) func `mix-up, by the issuer that the answer names`(
    fault: String
  ) throws {
    try Self.with { issuer, tree in
      try issuer.control("break_authorization", fault)
      let waiting = try BrowserLogin(tree, issuer)
      try BrowserLogin.browse(waiting.url)
      let end = try waiting.end()
      #expect(end.event["code"] == "server_misbehaved")
      #expect(end.status == .exited(1))
      #expect(try issuer.count("code_grants") == 0, "no code was sent anywhere")
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  // RFC 6749 section 10.12, RFC 8252 section 8.9.
  @Test func `CSRF, by the state that only its own answer has`() throws {
    try Self.with { issuer, tree in
      try issuer.control("par", "off")
      let waiting = try BrowserLogin(tree, issuer)
      let state = try waiting.state()
      let place = waiting.redirectURI
      #expect(try BrowserLogin.browse("\(place)?code=stolen&state=guess") == "400")
      #expect(try BrowserLogin.browse("\(place)?code=stolen") == "400")
      #expect(try BrowserLogin.browse("\(place)?error=access_denied") == "400")
      #expect(try BrowserLogin.browse("\(place)?code=stolen&state=\(state)&state=\(state)") == "400")
      // The issuer's own response without the right state is refused too, and the wait continues.
      for fault in ["wrong_state", "missing_state"] {
        try issuer.control("break_authorization", fault)
        #expect(try BrowserLogin.browse(waiting.url) == "400", "\(fault)")
      }
      try issuer.control("break_authorization", "off")
      #expect(try issuer.count("code_grants") == 0)
      #expect(try BrowserLogin.browse(waiting.url) == "200")
      #expect(try waiting.end().status == .exited(0))
    }
  }

  // RFC 6749 section 10.5: a code is used once, whoever sends it and however often.
  @Test func `code replay, by taking one answer only`() throws {
    try Self.with { issuer, tree in
      try issuer.control("hang", "token")
      let waiting = try BrowserLogin(tree, issuer)
      let answer = try BrowserLogin.redirect(waiting.url)
      #expect(try BrowserLogin.browse(answer) == "200")
      try issuer.await("hangs", 1)
      // While the code is being exchanged: at the port, and pasted.
      #expect(try BrowserLogin.browse(answer) == "000")
      let name = try #require(waiting.event["login"]?.string)
      let line = #"{"v":1,"request":"login_redirect","login":"\#(name)","url":"\#(answer)"}"#
      let reply = try JSON(parsing: Array(Peer(tree.socketPath).ask(line).utf8))
      #expect(reply["error"]?["code"] == "redirect_rejected")
      try issuer.control("hang", "off")
      #expect(try waiting.end().status == .exited(0))
      #expect(try issuer.count("code_grants") == 1)
      #expect(try issuer.count("code_replays") == 0)
    }
  }

  // RFC 9700 section 4.5, RFC 7636 section 4.6: the code is valid, and of the same client and user.
  @Test func `code injection, by PKCE`() throws {
    try Self.with { issuer, tree in
      try issuer.control("par", "off")
      // The redirect URI is the same for both, since a server compares it too.
      let place = ["--redirect-uri", "http://127.0.0.1:\(try LoopbackServer.unusedPort())/callback"]
      let line = BrowserLogin.line(issuer, account: "other") + ["--browser", "--no-open"]
      let other = try BrowserLogin(tree, line + place)
      let code = try BrowserLogin.value(of: "code", in: try BrowserLogin.redirect(other.url))
      try other.giveUp()
      let waiting = try BrowserLogin(tree, issuer, place[0], place[1])
      let answer = try BrowserLogin.redirect(waiting.url)
      let injected = answer.replacing(try BrowserLogin.value(of: "code", in: answer), with: code)
      #expect(injected != answer)
      try BrowserLogin.browse(injected)
      let end = try waiting.end()
      #expect(end.event["code"] == "server_rejected")
      #expect(end.status == .exited(1))
      #expect(try issuer.count("code_grants") == 0)
    }
  }

  // RFC 8252 section 8.3: whoever has the port would get the response.
  @Test func `port squatting, by not beginning`() throws {
    try Self.with { issuer, tree in
      let squatter = try UnixSocket.listenLoopback(port: 0)
      let uri = "http://127.0.0.1:\(try UnixSocket.localPort(squatter))/cb"
      let line = BrowserLogin.line(issuer) + ["--browser", "--no-open", "--redirect-uri", uri]
      let result = try tree.agent(line)
      #expect(result.status == .exited(1))
      #expect(result.failureCode == "redirect_unavailable")
      #expect(try issuer.count("pushed_requests") == 0)
    }
  }

  // RFC 8252 section 8.9. A request by another host name does not come from the server's redirect (DNS rebinding).
  @Test func `redirect probing, by answering nothing but its own address`() throws {
    try Self.with { issuer, tree in
      try issuer.control("par", "off")
      let waiting = try BrowserLogin(tree, issuer)
      let answer = try BrowserLogin.redirect(waiting.url)
      let query = try #require(try URI(answer).query)
      #expect(try BrowserLogin.browse("\(waiting.redirectURI)x?\(query)") == "404")
      #expect(try BrowserLogin.browse(answer, "-H 'Host: evil.example'") == "404")
      #expect(try BrowserLogin.browse(answer, "-I") == "405")
      #expect(try BrowserLogin.browse(answer, "-d x=y") == "405")
      #expect(try issuer.count("code_grants") == 0)
      #expect(try BrowserLogin.browse(answer) == "200")
      #expect(try waiting.end().status == .exited(0))
    }
  }

  // RFC 9700 section 2.1.1.
  @Test func `downgrade, by S256 or nothing`() throws {
    try Self.with { issuer, tree in
      try issuer.control("par", "off")
      let waiting = try BrowserLogin(tree, issuer)
      #expect(try BrowserLogin.value(of: "code_challenge_method", in: waiting.url) == "S256")
      #expect(try BrowserLogin.value(of: "code_challenge", in: waiting.url).utf8.count == 43)
      try waiting.giveUp()
      try issuer.control("break_metadata", "plain")
      let line = BrowserLogin.line(issuer) + ["--browser", "--no-open"]
      let result = try tree.agent(line)
      #expect(result.status == .exited(1))
      #expect(result.failureCode == "server_misbehaved")
      #expect(try issuer.count("authorizations") == 0)
    }
  }
}
