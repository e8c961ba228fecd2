import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Sign-in by device code` {
  @Test func `the events tell where to approve, and then who is signed in`() throws {
    try Session.with { session in
      let code = try #require(session.events.first)
      // RFC 8628 section 3.2: the information that the user needs.
      #expect(code["event"] == "device_code")
      #expect(code["account"] == "work")
      #expect(code["issuer"] == .string(session.issuer.url))
      #expect(code["client_id"] == "agent-cli")
      #expect(code["verification_uri"] == .string(session.issuer.url + "/device"))
      #expect(code["user_code"]?.string?.isEmpty == false)
      #expect(code["verification_uri_complete"]?.string?.hasPrefix(session.issuer.url) == true)
      #expect(code["interval"] == 1)
      #expect(try #require(code["expires_at"]?.int) > SystemTime().wallSeconds())
      let end = try #require(session.events.last)
      #expect(session.events.count == 2)
      #expect(end["event"] == "signed_in")
      #expect(end["account"] == "work")
      #expect(end["issuer"] == .string(session.issuer.url))
      #expect(end["subject"]?.string?.isEmpty == false)
      #expect(end["scope"]?.string?.split(separator: " ").contains("openid") == true)
      #expect(try #require(end["expires_at"]?.int) > SystemTime().wallSeconds())
    }
  }

  // A user may be tricked into entering a code (RFC 8628 section 5.4, RFC 10027).
  @Test func `a code comes with a warning, and beside a browser with a better way`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let line = BrowserLogin.line(issuer) + ["--device"]
        let here: [String: String?] = ["BROWSER": "true", "SSH_CONNECTION": nil, "SSH_TTY": nil, "SSH_CLIENT": nil]
        let better = "agent: a browser can be opened here, and needs no code: omit --device\n"
        let warning = "never enter a code that someone sent you"
        let result = try tree.agent(line, here)
        #expect(result.succeeded && result.errorText.contains(better), "\(result.errorText)")
        #expect(try JSON(parsing: Array(try #require(result.lines.first).utf8))["warning"]?.string == warning)
        let plain = try tree.agent(line.filter { $0 != "--json" })
        #expect(plain.succeeded && plain.errorText.contains("; \(warning)\n"), "\(plain.errorText)")
        #expect(!plain.errorText.contains(better))
      }
    }
  }

  @Test func `it waits for the approval on another device`() throws {
    try Issuer.with(approval: "ask") { issuer in
      try AgentTree.with { tree in
        let login = try tree.start(Self.login(issuer))
        let code = try JSON(parsing: Array(login.readLine().utf8))
        // RFC 8628 section 3.3: the user has time; until then polls return authorization_pending.
        try issuer.await("device_polls", 1)
        try issuer.control("approve", try #require(code["user_code"]?.string))
        let end = try JSON(parsing: Array(login.readLine().utf8))
        #expect(end["event"] == "signed_in")
        #expect(try login.wait() == .exited(0))
        #expect(try issuer.count("slow_downs") == 0)
        #expect(try !tree.token().isEmpty)
      }
    }
  }

  // The server may already have issued the tokens.
  @Test func `one that is given up while its poll is under way leaves no grant at the server`() throws {
    try Issuer.with(approval: "ask") { issuer in
      try AgentTree.with { tree in
        let login = try tree.start(Self.login(issuer))
        let code = try JSON(parsing: Array(login.readLine().utf8))
        try issuer.control("hang", "token")
        try issuer.await("hangs", 1)
        try issuer.control("approve", try #require(code["user_code"]?.string))
        try login.signal(Signals.SIGINT)
        _ = try login.wait()
        #expect(try tree.json("list")["accounts"] == [])
        try issuer.control("hang", "off")
        try issuer.await("revocations", 1)
        #expect(try issuer.count("device_grants") == 1)
      }
    }
  }

  // A user corrects the command line, with another account name; leftovers of the first would be the active account.
  @Test func `a first one that fails leaves nothing, and its hint is the whole line`() throws {
    try Issuer.with(approval: "never") { denying in
      try Issuer.with { issuer in
        try AgentTree.with { tree in
          let line = Self.login(denying, as: "wrong").filter { $0 != "--json" }
          let denied = try tree.agent(line)
          #expect(denied.failed(6))
          #expect(
            Hints.all(in: denied) == [(["agent"] + line).joined(separator: " ")], "\(denied.errorText)")
          let unknown = try tree.agent(Self.login(issuer, as: "wrong").map { $0 == "agent-cli" ? "nobody" : $0 })
          #expect(!unknown.succeeded && unknown.errorText.contains("agent login wrong"), "\(unknown.errorText)")
          #expect(try tree.json("list")["accounts"] == [])
          #expect(try tree.agent(Self.login(issuer)).succeeded)
          #expect(try tree.agent("token").succeeded)
        }
      }
    }
  }

  @Test func `the account of the first one is the active one, whatever was added before`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let added = try tree.agent("account", "add", "later", "--issuer", "https://id.example", "--client-id", "x")
        #expect(added.succeeded, "\(added.errorText)")
        #expect(try tree.agent(Self.login(issuer)).succeeded)
        #expect(try tree.agent("env").succeeded)
        #expect(try tree.json("list")["accounts"]?.array?.map { $0["active"] } == [false, true])
      }
    }
  }

  @Test func `a denial ends with status 6`() throws {
    try Issuer.with(approval: "never") { issuer in
      try AgentTree.with { tree in
        let result = try tree.agent(Self.login(issuer))
        // RFC 8628 section 3.5.
        #expect(result.status == .exited(6))
        #expect(result.failureCode == "access_denied")
        let end = try JSON(parsing: Array(try #require(result.lines.last).utf8))
        #expect(end["event"] == "error")
        #expect(end["code"] == "access_denied")
        #expect(end["message"]?.string?.isEmpty == false)
      }
    }
  }

  @Test func `a code that nobody approves expires with status 3`() throws {
    try Issuer.with(approval: "ask", ["--device-code-lifetime", "2"]) { issuer in
      try AgentTree.with { tree in
        let result = try tree.agent(Self.login(issuer))
        // RFC 8628 section 3.5: expired_token, or the client's own clock.
        #expect(result.status == .exited(3))
        #expect(result.failureCode == "code_expired")
      }
    }
  }

  @Test func `an interrupt gives the sign-in up`() throws {
    try Issuer.with(approval: "ask") { issuer in
      try AgentTree.with { tree in
        let login = try tree.start(Self.login(issuer))
        let code = try JSON(parsing: Array(login.readLine().utf8))
        try login.signal(Signals.SIGINT)
        #expect(try login.wait() == .exited(130))
        try issuer.control("approve", try #require(code["user_code"]?.string))
        let result = try tree.agent("token", "work")
        #expect(result.failed(3))
        #expect(try issuer.count("device_grants") == 0)
      }
    }
  }

  @Test func `a second sign-in needs the account's name only`() throws {
    try Session.with { session in
      let first = try session.tree.token()
      let result = try session.tree.agent("login", "work", "--json")
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try session.tree.token() != first)
    }
  }

  @Test func `another person does not take the account over`() throws {
    try Session.with { session in
      try session.issuer.control("approval", "ask")
      let login = try session.tree.start(["login", "work", "--json"])
      let code = try JSON(parsing: Array(login.readLine().utf8))
      try session.issuer.control("approve", try #require(code["user_code"]?.string), ("username", "mallory"))
      // OpenID Connect Core section 12.2.
      #expect(try login.wait() == .exited(3))
      #expect(login.errorText.contains("identity_changed"))
      #expect(try session.tree.json("whoami", "work")["subject"] == session.events.last?["subject"])
    }
  }

  // RFC 7518 section 3.1, RFC 8037 section 3.1 and RFC 9864; each token contains an at_hash.
  @Test(arguments: [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519",
  ])
  func `an ID Token is verified`(algorithm: String) throws {
    try Session.with("--algorithm", algorithm, "--claim", "school=Example") { session in
      let identity = try session.tree.json("whoami", "work")
      #expect(identity["subject"] == session.events.last?["subject"])
      #expect(identity["claims"]?["iss"] == .string(session.issuer.url))
      #expect(identity["claims"]?["aud"] == "agent-cli")
    }
  }

  // OpenID Connect Core section 3.1.3.7.
  @Test(arguments: ["iss", "aud", "exp", "signature", "at_hash"])
  func `an answer with a wrong ID Token signs nobody in`(fault: String) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try issuer.control("break_id_token", fault)
        let result = try tree.agent(Self.login(issuer))
        #expect(result.status == .exited(1))
        #expect(result.failureCode == "id_token_rejected")
        #expect(try tree.agent("token", "work").failed(3))
      }
    }
  }

  @Test func `plain http is refused without its option`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let result = try tree.agent("login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--json")
        #expect(result.status == .exited(2))
        #expect(result.failureCode == "invalid_request")
        #expect(try issuer.requests() == 0)
      }
    }
  }

  @Test func `metadata of another issuer is not used`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try issuer.control("break_metadata", "issuer")
        let result = try tree.agent(Self.login(issuer))
        // RFC 8414 section 3.3.
        #expect(result.status == .exited(1))
        #expect(result.failureCode == "server_misbehaved")
        #expect(try issuer.count("device_authorizations") == 0)
      }
    }
  }

  @Test(arguments: ["client_secret_basic", "client_secret_post"])
  func `a confidential client signs in with a secret from a file`(method: String) throws {
    try AgentTree.with { tree in
      try Issuer.with(["--client-secret-file", tree.path("home/secret")]) { issuer in
        try tree.signIn(
          at: issuer.url, clientID: "agent-confidential", "--client-secret-file", tree.path("home/secret"),
          "--token-endpoint-auth-method", method)
        let secret = try tree.directory.readText("home/secret").filter { !$0.isNewline }
        #expect(try tree.token("work", "--force-refresh") != "")
        #expect(try issuer.count("client_failures") == 0)
        #expect(try tree.files(containing: [secret]) == [tree.path("home/secret")])
      }
    }
  }

  // OpenID Connect Core section 5.7, in spirit: the new session may belong to another user.
  @Test func `nobody unknown takes the place of a user who is known`() throws {
    try Session.with { session in
      let subject = try session.tree.json("whoami", "work")["subject"]
      let relogin = Self.login(session.issuer) + ["--scope", "read"]
      let refused = try session.tree.agent(relogin)
      #expect(refused.status == .exited(3) && refused.failureCode == "identity_changed")
      #expect(refused.errorText.contains("agent logout work && agent login work"))
      #expect(try session.tree.json("whoami", "work")["subject"] == subject)
      #expect(try session.tree.agent("logout", "work").succeeded)
      #expect(try session.tree.agent(relogin).succeeded)
    }
  }

  private static func login(_ issuer: Issuer, as account: String = "work") -> [String] {
    let options = ["--client-id", "agent-cli", "--allow-http-loopback", "--device", "--json"]
    return ["login", account, "--issuer", issuer.url] + options
  }
}
