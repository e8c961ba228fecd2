import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A failure on the terminal` {
  private static func with(
    approval: String = "always", _ options: [String] = [], _ body: (Issuer, AgentTree) throws -> Void
  ) throws {
    try Issuer.with(approval: approval, options) { issuer in try AgentTree.with { tree in try body(issuer, tree) } }
  }

  /// The command of a hint, which is everything after a colon, as run by a shell.
  private func follow(_ result: ProcessResult, _ tree: AgentTree, replacing words: [String: String] = [:]) throws
    -> ProcessResult
  {
    let hint = try #require(Hints.all(in: result).first, "\(result.errorText)")
    let start = try #require(hint.firstRange(of: "agent "), "\(hint)")
    var command = String(hint[start.lowerBound...])
    for (name, value) in words { command.replace(name, with: value) }
    return try tree.shell("sh", command)
  }

  private static func line(_ issuer: String, _ options: String...) -> [String] {
    ["login", "work", "--issuer", issuer, "--client-id", "agent-cli", "--device", "--no-open"] + options
  }

  @Test func `of a connection names account, host and cause`() throws {
    try AgentTree.with { tree in
      let place = "127.0.0.1:\(try LoopbackServer.unusedPort())"
      let result = try tree.agent(Self.line("http://\(place)", "--allow-http-loopback"))
      #expect(result.failed(4))
      #expect(result.errorText.contains("agent: error: work: cannot reach \(place): connection refused\n"))
      #expect(result.errorText.contains("a VPN or a proxy"), "\(result.errorText)")
    }
  }

  @Test func `of a certificate at the first sign-in leads to one that works`() throws {
    try AgentTree.with { tree in
      let server = try HostileTLSServer(tree)
      try server.behave(.good)
      let place = server.url.dropFirst("https://".count)
      let result = try tree.agent(Self.line(server.url))
      #expect(result.failed(1))
      #expect(
        result.errorText.contains("work: the certificate of \(place) is not trusted: its authority is unknown"),
        "\(result.errorText)")
      #expect(result.errorText.contains("set the file of its certificate with --ca-file\n"), "\(result.errorText)")
      for (mode, words) in [
        (HostileTLSServer.Mode.selfSigned, "is not trusted: it is self-signed"), (.expired, "has expired"),
        (.otherHost, "is for another host"),
      ] {
        try server.behave(mode)
        let result = try tree.agent(Self.line(server.url, "--ca-file", tree.path("ca.pem")))
        #expect(result.errorText.contains("the certificate of \(place) \(words)\n"), "\(mode): \(result.errorText)")
      }
    }
  }

  @Test func `of a code that expired at the first sign-in leads to one that works`() throws {
    try Self.with(approval: "ask", ["--device-code-lifetime", "1"]) { issuer, tree in
      let line = Self.line(issuer.url, "--allow-http-loopback")
      let result = try tree.agent(line)
      #expect(result.failed(3), "\(result.errorText)")
      #expect(Hints.all(in: result) == [(["agent"] + line).joined(separator: " ")])
      try issuer.control("device_code_lifetime", "600")
      let login = try tree.start(line + ["--json"])
      let code = try JSON(parsing: Array(login.readLine().utf8))
      try issuer.control("approve", try #require(code["user_code"]?.string))
      #expect(try JSON(parsing: Array(login.readLine().utf8))["event"] == "signed_in")
      #expect(try login.wait() == .exited(0))
    }
  }

  /// Responds with this metadata and this response of the device endpoint.
  private static func serve(_ conversation: Conversation, metadata: String, device: String, status: Int) throws {
    guard let request = try conversation.readRequest() else { return }
    let place = "http://\(request.values("Host").first ?? "")"
    if request.line.contains("/.well-known/") {
      return try conversation.respond(body: metadata.replacing("PLACE", with: place))
    }
    try conversation.respond(status, body: device.replacing("PLACE", with: place))
  }

  private static let metadata = #"""
    {"issuer":"PLACE","token_endpoint":"PLACE/token","device_authorization_endpoint":"PLACE/device",
    "authorization_endpoint":"PLACE/authorize","jwks_uri":"PLACE/keys","response_types_supported":["code"],
    "subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"]}
    """#

  @Test(arguments: [
    (#"PLACE","#, #"PLACE/$(touch pwned)","#, ""), (#"PLACE","#, #"PLACE'; touch pwned; '","#, ""),
    (#"PLACE","#, #"PLACE/\nagent: hint: touch pwned","#, ""), (#"PLACE/device"#, #"PLACE/$(touch pwned)`"#, ""),
    ("", "", #"{"error":"invalid_client","error_description":"no\nagent: hint: touch pwned"}"#),
    ("", "", #"{"error":"invalid_request","error_description":"client_secret; touch pwned; agent $(touch pwned)"}"#),
    ("", "", #"{"error":"invalid_scope; touch pwned","error_description":"agent login `touch pwned`"}"#),
    ("", "", #"{"error":"unauthorized_client","error_uri":"PLACE/'; touch pwned; '"}"#),
    ("", "", #"{"device_code":"d","user_code":"$(touch pwned)","verification_uri":"PLACE/'; touch pwned; '"}"#),
  ]) func `of a hostile server leads to no command of its own`(part: String, hostile: String, device: String) throws {
    let metadata = part.isEmpty ? Self.metadata : Self.metadata.replacing(part, with: hostile, maxReplacements: 1)
    let server = try LoopbackServer {
      try Self.serve($0, metadata: metadata, device: device, status: device.contains("device_code") ? 200 : 400)
    }
    try AgentTree.with { tree in
      let result = try tree.agent(Self.line("http://127.0.0.1:\(server.port)", "--allow-http-loopback"))
      #expect(!result.succeeded && server.connections > 0)
      let hints = Hints.all(in: result)
      #expect(hints.count <= 1, "\(result.errorText)")
      for hint in hints {
        #expect(hint.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !hint.contains("pwned"), "\(hint)")
        _ = try tree.shell("sh", hint)
        if let start = hint.firstRange(of: "agent ") { _ = try tree.shell("sh", String(hint[start.lowerBound...])) }
      }
      #expect(try ProcessRunner.shell("ls '\(tree.path("home"))'").outputText.contains("pwned") == false)
    }
  }

  // RFC 8414 section 3.3: issuers are compared byte by byte.
  @Test func `of a slash too many leads to the same command, which then works`() throws {
    try Self.with { issuer, tree in
      let (right, wrong) = (issuer.url, issuer.url + "/")
      let result = try tree.agent(Self.line(wrong, "--allow-http-loopback", "--if-needed"))
      #expect(result.failed(1))
      let options = "--client-id agent-cli --device --no-open --allow-http-loopback --if-needed"
      #expect(Hints.all(in: result) == ["the final slash matters: agent login work \(options) --issuer \(right)"])
      let again = try follow(result, tree)
      #expect(again.succeeded, "\(again.errorText)")
      #expect(try follow(tree.agent(Self.line(wrong, "--allow-http-loopback")), tree).succeeded)

      let url = try tree.agent("login", wrong, "--client-id", "agent-cli", "--allow-http-loopback", "--device")
      #expect(Hints.all(in: url).first?.contains("agent login \(right) --client-id") == true, "\(url.errorText)")
      #expect(try follow(url, tree).succeeded)

      let token = try tree.agent("token", "work", "--id-token").outputText
      let line = "verify --audience agent-cli --allow-http-loopback --issuer"
      let verdict = try tree.agent(line.split(separator: " ").map(String.init) + [wrong], input: token)
      #expect(Hints.all(in: verdict) == ["the final slash matters: agent \(line) \(right)"], "\(verdict.errorText)")

      let file = tree.path("refresh-token")
      try tree.directory.write("refresh-token", "a refresh token")
      let added = try tree.agent(
        "account", "import", "new", "--issuer", wrong, "--client-id", "agent-cli", "--allow-http-loopback",
        "--refresh-token-file", file)
      #expect(
        Hints.all(in: added) == [
          "the final slash matters: agent account import new --client-id agent-cli --allow-http-loopback"
            + " --refresh-token-file \(file) --issuer \(right)"
        ], "\(added.errorText)")
    }
  }

  @Test func `of a refresh token from elsewhere leads to a sign-in with the same settings, which works`() throws {
    try Self.with { issuer, tree in
      let file = tree.path("refresh-token")
      try tree.directory.write("refresh-token", "none of the server's")
      let settings = ["--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"]
      let result = try tree.agent(["account", "import", "new", "--refresh-token-file", file] + settings)
      let told = "agent: error: the server does not accept this refresh token (invalid_grant): unknown refresh token\n"
      #expect(result.failed(3) && result.errorText.hasPrefix(told), "\(result.errorText)")
      #expect(try #require(Hints.all(in: result).first).hasPrefix("agent login new --"), "\(result.errorText)")
      let again = try follow(result, tree)
      #expect(again.succeeded, "\(again.errorText)")
      #expect(try tree.json("status")["accounts"]?.array?.first?["issuer"] == .string(issuer.url))
    }
  }

  @Test func `to find the keys of a server leads to no sign-in`() throws {
    let metadata = Self.metadata.replacing(#""jwks_uri":"PLACE/keys","#, with: "")
    let server = try LoopbackServer { try Self.serve($0, metadata: metadata, device: "{}", status: 404) }
    try AgentTree.with { tree in
      let line = ["verify", "--audience", "x", "--allow-http-loopback", "--issuer"]
      for issuer in [server.url(""), "http://127.0.0.1:\(try LoopbackServer.unusedPort())"] {
        let result = try tree.agent(line + [issuer], input: "a.b.c")
        #expect(!result.succeeded && !result.errorText.contains("login"), "\(result.errorText)")
      }
      let result = try tree.agent(line + [server.url("")], input: "a.b.c")
      #expect(result.errorText.contains("pass the server's keys in a file with --jwks\n"), "\(result.errorText)")
    }
  }

  @Test func `of a slash too few leads to the same command with it`() throws {
    try Self.with { issuer, tree in
      try issuer.control("break_metadata", "issuer")
      let result = try tree.agent(Self.line(issuer.url, "--allow-http-loopback"))
      #expect(Hints.all(in: result).first?.hasSuffix("--issuer \(issuer.url)/") == true, "\(result.errorText)")
    }
  }

  @Test(arguments: ["openid-configuration", "oauth-authorization-server"])
  func `does not come of the address of the metadata, which names the issuer`(document: String) throws {
    try Self.with { issuer, tree in
      let url = "\(issuer.url)/.well-known/\(document)"
      let login = ["login", url, "--client-id", "agent-cli", "--allow-http-loopback", "--device"]
      #expect(try tree.agent(login).succeeded)
      #expect(try tree.agent("logout", "--all").succeeded && tree.agent("account", "remove", "127.0.0.1").succeeded)
      #expect(
        try tree.agent("account", "add", "new", "--issuer", url, "--client-id", "x", "--allow-http-loopback").succeeded)
      #expect(try tree.agent("account", "show", "new").outputText.contains("\(issuer.url)\n"))
      #expect(try tree.agent("account", "remove", "new").succeeded)
      let result = try tree.agent(Self.line("\(issuer.url)/.well-known/\(document)", "--allow-http-loopback"))
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try tree.json("status")["accounts"]?.array?.first?["issuer"] == .string(issuer.url))
      let token = try tree.agent("token", "work", "--id-token").outputText
      let verdict = try tree.agent(
        ["verify", "--audience", "agent-cli", "--allow-http-loopback", "--issuer", url], input: token)
      #expect(verdict.succeeded, "\(verdict.errorText)")
    }
  }

  @Test func `of metadata that are not there names the address and the status`() throws {
    try Self.with { issuer, tree in
      let result = try tree.agent(Self.line(issuer.url + "/nowhere", "--allow-http-loopback"))
      #expect(
        result.errorText.contains(
          "no metadata was found at \(issuer.url)/nowhere/.well-known/openid-configuration (HTTP status 404)"),
        "\(result.errorText)")
    }
  }

  @Test func `of an issuer that is none is one of usage`() throws {
    try AgentTree.with { tree in
      let named: [(String) -> [String]] = [
        { Self.line($0) }, { ["account", "add", "new", "--issuer", $0, "--client-id", "x"] },
        { ["account", "import", "new", "--refresh-token-file", "/dev/null", "--issuer", $0, "--client-id", "x"] },
        { ["verify", "--audience", "x", "--issuer", $0] },
      ]
      for (issuer, words) in [
        ("http://localhost:1234", "--allow-http-loopback"), ("http://id.example", "https://id.example"),
        ("https://id.example/?tenant=1", "check the issuer's URL"), ("no url", "check the issuer's URL"),
      ] {
        for line in named {
          let result = try tree.agent(line(issuer), input: "a.b.c")
          #expect(result.failed(2) && result.errorText.contains(words), "\(line(issuer)): \(result.errorText)")
        }
      }
      for line in named + [{ ["login", $0, "--client-id", "x"] }] {
        let words = line("http://127.0.0.1:1")
        let whole = "agent " + (words + ["--allow-http-loopback"]).joined(separator: " ")
        let result = try tree.agent(words, input: "a.b.c")
        #expect(result.failed(2))
        #expect(
          Hints.all(in: result) == ["for a development server on this machine: \(whole)"], "\(result.errorText)")
      }
    }
  }

  @Test func `of a misspelt name asks whether another was meant`() throws {
    try Session.with { session in
      let tree = session.tree
      let account = try tree.agent("token", "wrok", "--header")
      #expect(
        account.failed(3) && account.errorText.contains("hint: agent token work --header\n"), "\(account.errorText)")
      let lines = [["whoami", "-a", "wrok"], ["account", "rename", "wrok", "x"], ["exec", "wrok", "--", "true"]]
      let hints = try lines.map { try #require(try tree.agent($0).errorText.split(separator: "hint: ").last) }
      #expect(hints == ["agent whoami work\n", "agent account rename work x\n", "agent list\n"])
      let provider = try tree.agent("login", "gitub", "--no-input")
      #expect(provider.errorText.contains("did you mean agent login github"), "\(provider.errorText)")
      let typed = try WatchedProgram(
        tree, columns: 200, ["NO_COLOR": "1"], [Programs.path("agent"), "login", "githb"]
      ).end()
      #expect(typed.status == 2, "\(typed.rows)")
      #expect(typed.rows.last?.hasPrefix("agent: hint: did you mean agent login github?") == true, "\(typed.rows)")
      let value = try tree.agent("account", "set", "work", "--refresh", "proactiv")
      #expect(value.failed(2) && value.errorText.contains("did you mean \"proactive\"?"), "\(value.errorText)")
    }
  }

  @Test(arguments: [
    (["help", "lgoin"], "hint: agent help login\n"),
    (["help", "providers", "githb"], "hint: agent help providers github\n"),
    (["setup", "dokcer"], "did you mean \"docker\"?"), (["helper", "kubctl"], "did you mean \"kubectl\"?"),
    (["completions", "fihs"], "did you mean \"fish\"?"),
    (["verify", "--jwks", "/dev/null", "--algorithms", "RS265"], "did you mean \"RS256\"?"),
  ]) func `of a misspelt word asks whether one that there is was meant`(line: [String], hint: String) throws {
    try AgentTree.with { tree in
      let result = try tree.agent(line, input: "a.b.c")
      #expect(result.failed(2) && result.errorText.contains(hint), "\(result.errorText)")
    }
  }

  @Test func `of a port that speaks no TLS says so`() throws {
    let server = try LoopbackServer { try $0.write("HTTP/1.1 400 Bad Request\r\n\r\n") }
    try AgentTree.with { tree in
      let place = "127.0.0.1:\(server.port)"
      let result = try tree.agent(Self.line("https://\(place)"))
      #expect(
        result.errorText.contains("the secure connection to \(place) failed: it does not speak TLS\n"),
        "\(result.errorText)")
    }
  }

  @Test func `of a command without dashes before it tells where they belong`() throws {
    try Session.with { session in
      let result = try session.tree.agent("exec", "work", "sh", "-c", "echo \"$AGENT_ACCOUNT\"")
      #expect(result.failed(2))
      let again = try follow(result, session.tree)
      #expect(again.outputText == "work\n", "\(result.errorText)")
    }
  }

  @Test func `of a method that is none tells of --account, and -X names one`() throws {
    try Session.with { session in
      let userinfo = "\(session.issuer.url)/userinfo"
      let result = try session.tree.agent("request", "work", userinfo)
      #expect(result.failed(2))
      let again = try follow(result, session.tree)
      #expect(again.succeeded, "\(again.errorText)")
      let small = try session.tree.agent("request", "get", userinfo)
      #expect(try follow(small, session.tree).succeeded, "\(small.errorText)")
      #expect(try session.tree.agent("request", "-X", "POST", userinfo).succeeded)
      #expect(try session.tree.agent("request", "-X", "GET", "POST", userinfo).failed(2))
    }
  }

  @Test func `that is the state of a session is the exit status of its check, the worst one first`() throws {
    try Session.with { session in
      let tree = session.tree
      #expect(try tree.agent("status", "--check").succeeded)
      try tree.signIn("second", at: session.issuer.url)
      #expect(try tree.agent("logout", "second").succeeded)
      #expect(try tree.agent("status", "--check").succeeded, "what nobody is signed in to is not checked")
      #expect(try tree.agent("status", "second", "--check").status == .exited(3))
      try tree.directory.write("passphrase", "one long phrase")
      try Issuer.with { other in
        try tree.signIn("ended", at: other.url)
        try other.control("revoke_all", "1")
        session.issuer.stop()
        #expect(try tree.agent("status", "--check").status == .exited(3))
        #expect(try tree.agent("status", "--check").status == .exited(4), "what is over now is not checked again")
        try tree.signIn("shut", at: other.url, "--protect", "passphrase", "--passphrase-file", tree.path("passphrase"))
        #expect(try tree.agent("lock").succeeded)
        #expect(try tree.agent("status", "--check").status == .exited(5))
      }
    }
  }

  @Test func `is not told of accounts that were not signed in when all are signed out`() throws {
    try Session.with { session in
      try session.tree.signIn("second", at: session.issuer.url)
      #expect(try session.tree.agent("logout", "second").succeeded)
      let result = try session.tree.agent("logout", "--all")
      #expect(result.succeeded && result.errorText.contains("work"), "\(result.errorText)")
      #expect(!result.errorText.contains("second"), "\(result.errorText)")
    }
  }

  @Test func `to type the same passphrase twice is no end of it`() throws {
    try Self.with { issuer, tree in
      let line = [
        "account", "add", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback",
        "--protect", "passphrase",
      ]
      let program = try WatchedProgram(tree, columns: 80, [:], [Programs.path("agent")] + line)
      for (attempt, second) in ["another", "one long phrase"].enumerated() {
        try program.until("New passphrase:", times: attempt + 1)
        try program.type("one long phrase")
        try program.type("^M")
        try program.until("Repeat passphrase:", times: attempt + 1)
        try program.type(second)
        try program.type("^M")
      }
      try program.until("the passphrases do not match, try again")
      let end = try program.end()
      #expect(end.status == 0, "\(end.raw)")
    }
  }

  @Test func `to type it twice comes when it did not match three times`() throws {
    try Self.with { issuer, tree in
      let line = [
        "account", "add", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback",
        "--protect", "passphrase",
      ]
      #expect(try Self.typing(line, tree, first: "New passphrase:").status == 2)
      try tree.signIn("work", at: issuer.url)
      let slot = try Self.typing(["vault", "add-passphrase"], tree, first: "New passphrase:")
      #expect(slot.status == 2, "\(slot.raw)")
      #expect(try tree.json("vault", "status")["slots"]?.array?.count == 1)
    }
  }

  /// Types mismatching passphrases until the command fails.
  private static func typing(_ line: [String], _ tree: AgentTree, first question: String) throws
    -> WatchedProgram.Screen
  {
    let program = try WatchedProgram(tree, columns: 100, [:], [Programs.path("agent")] + line)
    for attempt in 1...3 {
      try program.until(question, times: attempt)
      try program.type("one long phrase")
      try program.type("^M")
      try program.until("Repeat passphrase:", times: attempt)
      try program.type("another")
      try program.type("^M")
    }
    let end = try program.end()
    #expect(end.lines.contains("agent: error: the passphrases do not match"), "\(end.raw)")
    return end
  }

  // RFC 9449 section 7.1.
  @Test func `of a bound token in a header is warned of`() throws {
    try AgentTree.with { tree in
      try Issuer.with { issuer in
        try tree.signIn("work", at: issuer.url, clientID: "agent-cli", "--dpop")
        let result = try tree.agent("token", "work", "--header")
        #expect(result.succeeded && result.outputText.hasPrefix("Authorization: DPoP "))
        #expect(result.errorText.contains("agent proof"), "\(result.errorText)")
        #expect(try tree.agent("token", "work", "--header", "--quiet").errorText.isEmpty)
      }
    }
  }

  @Test func `does not come of a setting that waits for the next sign-in, and that is said`() throws {
    try Session.with { session in
      let result = try session.tree.agent("account", "set", "work", "--scope", "openid profile")
      #expect(result.succeeded)
      #expect(result.errorText.contains("--scope takes effect at the next sign-in: agent login work"))
    }
  }
}
