import Encoding
import Platform
import TestSupport
import Testing

/// RFC 9728 with RFC 7591: no client is known at the authorization server of a resource.
@Suite(.needsPrograms) struct `A client for a resource` {
  private static let options = ["--allow-http-loopback", "--device"]

  private static func with(_ options: [String], _ body: (Issuer, AgentTree, String) throws -> Void) throws {
    try Issuer.with(options) { issuer in
      try AgentTree.with { tree in try body(issuer, tree, issuer.url + "/resource") }
    }
  }

  @Test func `is registered by itself, and deleted with its account`() throws {
    try Self.with(["--open-registration"]) { issuer, tree, resource in
      let login = try tree.agent(["login", resource, "--issuer", issuer.url] + Self.options)
      try #require(login.succeeded, "\(login.errorText)")
      #expect(login.errorText.contains("the server registered a client for this account"))
      #expect(try issuer.count("registrations") == 1)
      let answer = try tree.agent("request", resource)
      #expect(answer.succeeded && answer.outputText.contains("Hello"), "\(answer.errorText)")
      #expect(try tree.json("account", "show")["settings"]?["scope"] == ["openid", "offline_access"])
      #expect(try !tree.token("127.0.0.1", "--force-refresh").isEmpty)
      #expect(try tree.agent(["login", resource, "--no-input"] + Self.options).succeeded)
      #expect(try issuer.count("registrations") == 1)
      #expect(try tree.json("account", "remove", "127.0.0.1")["client_deleted"] == true)
    }
  }

  // agent-config(5).
  @Test func `is the one that a file names for the server, and none is registered`() throws {
    try Self.with(["--open-registration"]) { issuer, tree, resource in
      try #require(tree.shell("sh", "mkdir -m 700 '\(tree.path("config/agent"))'").succeeded)
      try tree.directory.write("config/agent/clients.json", #"{"\#(issuer.url)":{"client_id":"agent-cli"}}"#)
      let refused = try tree.agent(["login", resource, "--no-input"] + Self.options)
      #expect(refused.failed(3) && !refused.errorText.contains("registers a client"), "\(refused.errorText)")
      for command in [["login", resource, "--issuer", issuer.url], ["login", "work", "--issuer", issuer.url]] {
        let login = try tree.agent(command + Self.options)
        try #require(login.succeeded, "\(login.errorText)")
        #expect(login.errorText.contains("\(tree.path("config/agent/clients.json"))"), "\(login.errorText)")
      }
      for name in ["127.0.0.1", "work"] {
        #expect(try tree.json("account", "show", name)["settings"]?["client_id"] == "agent-cli")
      }
      #expect(try issuer.count("registrations") == 0)
      let asked = try tree.agent(
        ["login", resource, "--account", "mine", "--issuer", issuer.url, "--register"] + Self.options)
      #expect(asked.succeeded, "\(asked.errorText)")
      #expect(try issuer.count("registrations") == 1)
    }
  }

  @Test func `signs in for what the resource says, beside a named issuer too`() throws {
    try Self.with(["--open-registration"]) { issuer, tree, resource in
      let options = ["--issuer", issuer.url, "--register", "--allow-http-loopback", "--device", "--json"]
      let login = try tree.agent(["login", "work", "--resource", resource] + options)
      try #require(login.succeeded, "\(login.errorText)")
      #expect(try issuer.count("resource_metadata") == 1)
      #expect(try JSON(parsing: Array(try #require(login.lines.last).utf8))["scope"] == "openid offline_access")
      let silent = try tree.agent(["login", "other", "--resource", "http://127.0.0.1:1/x"] + options)
      #expect(
        silent.succeeded && silent.errorText.contains("http://127.0.0.1:1/x publishes no metadata"),
        "\(silent.errorText)")
    }
  }

  @Test(arguments: [("y", 0), ("n", 6)]) func `is told of in the question`(answer: String, status: Int) throws {
    try Self.with(["--open-registration"]) { issuer, tree, resource in
      let program = try WatchedProgram(
        tree, columns: 200, ["NO_COLOR": "1"], [Programs.path("agent"), "login", resource] + Self.options)
      let screen = try program.until("[y/N]")
      #expect(screen.rows.contains("the authorization server \(issuer.url)."))
      #expect(
        screen.rows.contains {
          $0.hasPrefix("Register a client there, sign in, and send its tokens to the resource?")
        })
      #expect(try issuer.count("metadata") == 0 && issuer.count("registrations") == 0)
      try program.type(answer)
      try program.type("^M")
      #expect(try program.end().status == status)
      #expect(try issuer.count("registrations") == (status == 0 ? 1 : 0))
    }
  }

  @Test(arguments: [[], ["--login-hint", "it's $(me) & co", "--scope", "openid profile"]])
  func `needs a word of a person, for which the whole command is told`(more: [String]) throws {
    try Self.with(["--open-registration"]) { issuer, tree, resource in
      let options = more.isEmpty ? Self.options : ["--allow-http-loopback", "--browser", "--no-open"]
      let refused = try tree.agent(["login", resource, "--json"] + options + more + ["--no-input"])
      #expect(refused.status == .exited(3) && refused.failureCode == "issuer_not_trusted", "\(refused.errorText)")
      let hint = try #require(
        try JSON(parsing: Array(refused.errorText.utf8))["error"]?["hint"]?.string)
      let prefix = "if you trust it and want to register a client there: "
      try #require(hint.hasPrefix(prefix), "\(hint)")
      let command = hint.dropFirst(prefix.utf8.count)
      let script =
        more.isEmpty
        ? String(command)
        : "\(command) --start | sed -n 's/.*\"url\":\"\\([^\"]*\\)\".*/\\1/p' | xargs -n 1 curl -qsSL --noproxy '*'"
      let login = try tree.shell("dash", script)
      #expect(login.succeeded, "\(login.errorText)")
      try issuer.await("registrations", 1)
    }
  }

  @Test func `must be named where none can be registered`() throws {
    try Self.with(["--client-documents", "off"]) { issuer, tree, resource in
      let login = try tree.agent(["login", resource, "--issuer", issuer.url] + Self.options)
      #expect(login.failed(1))
      #expect(
        login.errorText == "agent: error: the server does not offer client registration\n"
          + "agent: hint: register a client at the server, and use it with --client-id\n")
      #expect(try tree.json("list")["accounts"] == [])
    }
  }

  @Test func `is not registered where the account has one at that server, or its secret was given`() throws {
    try Self.with(["--open-registration"]) { issuer, tree, resource in
      try tree.signIn("work", at: issuer.url)
      let login = try tree.agent(["login", resource, "--account", "work", "--issuer", issuer.url] + Self.options)
      #expect(login.succeeded, "\(login.errorText)")
      #expect(try tree.json("account", "show", "work")["settings"]?["client_id"] == "agent-cli")
      let forgotten = try tree.agent(
        ["login", resource, "--account", "home", "--issuer", issuer.url, "--client-secret-file", "-"] + Self.options,
        input: "s")
      #expect(forgotten.failed(2) && forgotten.errorText.contains("--client-id"), "\(forgotten.errorText)")
      #expect(try issuer.count("registrations") == 0)
    }
  }

  // RFC 9728 section 2, RFC 9449 section 5.2.
  @Test(arguments: [["--require-dpop"], ["--require-dpop", "--dpop-required"], ["--dpop-required"]])
  func `has bound tokens where the resource or the server wants them`(options: [String]) throws {
    try Self.with(["--open-registration"] + options) { issuer, tree, resource in
      let login = try tree.agent(["login", resource, "--issuer", issuer.url] + Self.options)
      try #require(login.succeeded, "\(login.errorText)")
      #expect(try tree.json("account", "show")["settings"]?["dpop"] == true)
      #expect(try tree.json("token")["token_type"] == "DPoP")
      let answer = try tree.agent("request", resource)
      #expect(answer.succeeded, "\(answer.errorText)")
    }
  }

  // RFC 9449 section 5.2: the server enforces it for the client.
  @Test func `that asked for bound tokens gets no others`() throws {
    try Self.with(["--open-registration"]) { issuer, tree, resource in
      let login = try tree.agent(
        ["login", "127.0.0.1", "--issuer", issuer.url, "--resource", resource, "--register", "--dpop"] + Self.options)
      try #require(login.succeeded, "\(login.errorText)")
      #expect(try tree.json("token")["token_type"] == "DPoP")
      #expect(try tree.agent("account", "set", "127.0.0.1", "--unset", "dpop").succeeded)
      let unbound = try tree.agent("login", "127.0.0.1", "--device")
      #expect(
        unbound.status == .exited(1) && unbound.errorText.contains("account set 127.0.0.1 --dpop"),
        "\(unbound.errorText)")
    }
  }
}
