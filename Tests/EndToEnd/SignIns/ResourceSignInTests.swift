import Encoding
import Platform
import TestSupport
import Testing

// RFC 9728.
@Suite(.needsPrograms) struct `Sign-in to a resource` {
  private static let options = ["--client-id", "agent-cli", "--allow-http-loopback", "--device"]

  private static func with(_ body: (Issuer, AgentTree, String) throws -> Void) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in try body(issuer, tree, issuer.url + "/resource") }
    }
  }

  @Test func `gets tokens for it from the issuer that is named, and later without a question`() throws {
    try Self.with { issuer, tree, resource in
      let login = try tree.agent(["login", resource, "--issuer", issuer.url, "--json"] + Self.options)
      try #require(login.succeeded, "\(login.errorText)")
      let end = try JSON(parsing: Array(try #require(login.lines.last).utf8))
      #expect(end["event"] == "signed_in" && end["account"] == "127.0.0.1")
      // RFC 9728 section 2: the scopes that the resource requests, and the one for a long-lived session.
      #expect(end["scope"] == "openid offline_access")
      #expect(try !tree.token("127.0.0.1", "--force-refresh").isEmpty)
      let settings = try #require(try tree.json("account", "show")["settings"])
      #expect(settings["resource"] == [.string(resource)])
      #expect(settings["origins"] == [.string(resource)])
      // RFC 8707: the token is valid there, and may be sent there.
      let answer = try tree.agent("request", resource)
      #expect(answer.succeeded && answer.outputText.contains("Hello"), "\(answer.errorText)")
      #expect(try tree.agent("logout").succeeded)
      for fault in [nil, "no_metadata"] {
        if let fault { try issuer.control("break_resource", fault) }
        let again = try tree.agent(["login", resource, "--no-input", "--device"])
        #expect(again.succeeded, "\(again.errorText)")
        #expect(try tree.json("list")["accounts"]?.array?.count == 1)
        #expect(try tree.agent("logout").succeeded)
      }
    }
  }

  // A host may have many MCP servers, of different owners. The token of one must not reach another.
  @Test func `to one of two at a host uses no token of the other`() throws {
    try Self.with { issuer, tree, _ in
      let server = try LoopbackServer { conversation in
        while let request = try conversation.readRequest() {
          let path = request.line.split(separator: " ")[1]
          let place = "/.well-known/oauth-protected-resource"
          let own = "http://\(request.values("host").first ?? "")"
          let metadata: JSON = [
            "resource": .string(own + path.dropFirst(place.count)), "authorization_servers": [.string(issuer.url)],
          ]
          if path.hasPrefix(place) {
            try conversation.respond(body: String(decoding: metadata.serialized(), as: UTF8.self))
          } else {
            let isAllowed = !request.values("Authorization").isEmpty
            try conversation.respond(
              isAllowed ? 200 : 405, body: isAllowed ? request.values("Authorization")[0] : "")
          }
        }
      }
      func signIn(_ path: String) throws {
        let login = try tree.agent(["login", server.url(path), "--issuer", issuer.url] + Self.options)
        try #require(login.succeeded, "\(login.errorText)")
      }
      try signIn("/one")
      let other = try tree.agent("request", server.url("/two"))
      #expect(!other.succeeded && other.errorText.contains("agent login \(server.url("/two"))"), "\(other.errorText)")
      try signIn("/two")
      for (path, account) in [("/one", "127.0.0.1"), ("/two", "127.0.0.1-2")] {
        let answer = try tree.agent("request", server.url(path))
        #expect(try answer.outputText == "Bearer \(tree.token(account))", "\(answer.errorText)")
      }
      #expect(try !tree.agent("request", server.url("/three")).succeeded)
    }
  }

  // Model Context Protocol: a resource may move to another authorization server, which gets nothing of the old
  // client.
  @Test func `that has moved to another authorization server signs in there, once it is confirmed`() throws {
    let registers = ["--open-registration"]
    try Issuer.with(registers) { issuer in
      try Issuer.with(registers) { other in
        try AgentTree.with { tree in
          let servers = Monitor([issuer.url])
          let server = try LoopbackServer { conversation in
            while let request = try conversation.readRequest() {
              let own = "http://\(request.values("host").first ?? "")"
              let metadata: JSON = [
                "resource": .string(own + "/mcp"),
                "authorization_servers": .array(servers.withLock { $0 }.map { .string($0) }),
              ]
              let isMetadata = request.line.contains("/.well-known/oauth-protected-resource/mcp")
              try conversation.respond(
                isMetadata ? 200 : 401, body: isMetadata ? String(decoding: metadata.serialized(), as: UTF8.self) : "")
            }
          }
          let url = server.url("/mcp")
          let login = ["login", url, "--allow-http-loopback", "--device", "--no-input"]
          let first = try tree.agent(login + ["--issuer", issuer.url, "--register"])
          try #require(first.succeeded, "\(first.errorText)")
          let client = try tree.json("account", "show")["settings"]?["client_id"]
          servers.withLock { $0 = [other.url] }
          let metadata = try issuer.count("device_authorizations")
          // By its name it is not signed in at the old server, and by its URL not at the new one without being asked.
          let named = try tree.agent("login", "127.0.0.1", "--device", "--no-input")
          #expect(
            named.failed(3) && named.errorText.contains("agent login \(url) --allow-http-loopback"),
            "\(named.errorText)")
          let asked = try tree.agent(login)
          #expect(asked.failed(3) && asked.errorText.contains("--issuer \(other.url)"), "\(asked.errorText)")
          #expect(try other.count("metadata") == 0 && issuer.count("device_authorizations") == metadata)
          let moved = try tree.agent(login + ["--issuer", other.url])
          try #require(moved.succeeded, "\(moved.errorText)")
          let accounts = try #require(try tree.json("list")["accounts"]?.array)
          #expect(accounts.map { $0["issuer"]?.string } == [other.url])
          #expect(try other.count("registrations") == 1)
          #expect(try tree.json("account", "show")["settings"]?["client_id"] != client)
          #expect(try !tree.token("127.0.0.1", "--force-refresh").isEmpty)
        }
      }
    }
  }

  // Model Context Protocol 2025-03-26: the authorization server has the origin of the MCP server, and endpoints with
  // fixed names if it has no metadata.
  @Test(arguments: [true, false])
  func `of before resource metadata uses the server at its origin, without metadata by the hint`(hasMetadata: Bool)
    throws
  {
    try AgentTree.with { tree in
      let server = try LoopbackServer { conversation in
        while let request = try conversation.readRequest() {
          let own = "http://\(request.values("host").first ?? "")"
          func respond(_ status: Int, _ object: JSON = [:]) throws {
            try conversation.respond(
              status, headers: ["Content-Type: application/json"],
              body: String(decoding: object.serialized(), as: UTF8.self))
          }
          let words = request.line.split(separator: " ")
          switch words[1].prefix(while: { $0 != "?" }) {
          case "/mcp": try respond(request.values("Authorization") == ["Bearer at-1"] ? 200 : 401)
          case "/register": try respond(201, ["client_id": "c-1", "token_endpoint_auth_method": "none"])
          case "/token": try respond(200, ["access_token": "at-1", "token_type": "Bearer", "expires_in": 3600])
          case "/authorize":
            let fields = try Form.parse(String(words[1].drop { $0 != "?" }.dropFirst()))
            let (redirect, state) = (fields.first { $0.name == "redirect_uri" }, fields.first { $0.name == "state" })
            try conversation.respond(
              302, headers: ["Location: \(redirect?.value ?? "")?code=c&state=\(state?.value ?? "")"])
          case "/.well-known/oauth-authorization-server" where hasMetadata:
            try respond(
              200,
              [
                "issuer": .string(own), "authorization_endpoint": .string(own + "/authorize"),
                "token_endpoint": .string(own + "/token"), "registration_endpoint": .string(own + "/register"),
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
              ])
          default: try respond(404)
          }
        }
      }
      let (url, origin) = (server.url("/mcp"), server.url(""))
      func signIn(_ command: String) throws -> ProcessResult {
        try tree.shell("sh", "BROWSER='curl -qsSL -o /dev/null %s' \(command) --browser")
      }
      var command = "agent login \(url) --issuer \(origin) --allow-http-loopback"
      if !hasMetadata {
        let refused = try signIn(command)
        #expect(refused.failed(1), "\(refused.outputText)")
        let commands = Hints.commands(in: try #require(Hints.all(in: refused).first))
        try #require(commands.count == 2, "\(refused.errorText)")
        let added = try tree.agent(commands[0])
        try #require(added.succeeded, "\(added.errorText)")
        command = "agent \(commands[1].joined(separator: " "))"
      }
      let login = try signIn(command)
      #expect(login.succeeded, "\(command): \(login.errorText)")
      #expect(try tree.agent("request", url).succeeded)
    }
  }

  // RFC 9728 section 2: both receive proofs of the same key.
  @Test func `binds tokens to a key whose proofs the resource takes too, also the next time`() throws {
    try Issuer.with(["--require-dpop", "--resource-dpop-algorithms", "PS256"]) { issuer in
      try AgentTree.with { tree in
        let resource = issuer.url + "/resource"
        for line in [["login", resource, "--issuer", issuer.url] + Self.options, ["login", "127.0.0.1", "--device"]] {
          let login = try tree.agent(line + ["--json"])
          try #require(login.succeeded, "\(login.errorText)")
          let answer = try tree.agent("request", resource)
          #expect(answer.succeeded && answer.outputText.contains("Hello"), "\(answer.errorText)")
          try #require(try tree.agent("logout", "127.0.0.1").succeeded)
        }
        #expect(try issuer.count("proof_refusals") == 0)
        try issuer.control("dpop_algorithms", "ES256")
        let asked = try issuer.count("device_authorizations")
        let refused = try tree.agent("login", "127.0.0.1", "--device", "--json")
        #expect(refused.status == .exited(1) && refused.failureCode == "invalid_configuration", "\(refused.errorText)")
        #expect(refused.failure?["message"]?.string?.contains("for this resource") == true, "\(refused.errorText)")
        #expect(try issuer.count("device_authorizations") == asked)
      }
    }
  }

  // Model Context Protocol, authorization.
  @Test func `is refused at a server that does not announce PKCE, before a browser opens`() throws {
    try Self.with { issuer, tree, resource in
      try issuer.control("break_metadata", "no_s256")
      let server = ["--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"]
      let browser = ["--browser", "--no-open", "--json"]
      let login = try tree.agent(["login", resource] + server + browser)
      #expect(login.status == .exited(1) && login.failureCode == "server_misbehaved", "\(login.errorText)")
      #expect(login.lines.count == 1 && login.lines[0].contains("code_challenge_methods_supported"), "\(login.lines)")
    }
  }

  // Section 7.6: only the user can trust an authorization server that a resource names.
  @Test func `asks that server nothing when nobody can be asked`() throws {
    try Self.with { issuer, tree, resource in
      let result = try tree.agent(["login", resource, "--no-input"] + Self.options)
      #expect(result.status == .exited(3) && result.output.isEmpty)
      #expect(
        result.errorText
          == "agent: error: the resource names the authorization server \(issuer.url), which is not confirmed\n"
          + "agent: hint: if you trust it: agent login \(resource) --no-input --client-id agent-cli"
          + " --allow-http-loopback --device --issuer \(issuer.url)\n")
      #expect(try issuer.count("resource") == 1 && issuer.count("resource_metadata") == 1)
      #expect(try issuer.count("metadata") == 0)
      #expect(try tree.json("list")["accounts"] == [])
    }
  }

  // The resource chooses that URL, and users paste the hint into a shell.
  @Test(arguments: [
    "/$(touch${IFS}here)", "/';touch;'", "/`touch`", "/a&touch&b", "/(x)!y*", "/\u{202E}x", "/a b", "/\n",
  ])
  func `of a resource that names a hostile authorization server has a hint that is safe in a shell`(path: String) throws
  {
    let server = try LoopbackServer { conversation in
      while let request = try conversation.readRequest() {
        let own = "http://\(request.values("host").first ?? "")"
        let metadata: JSON = [
          "resource": .string("\(own)/api"), "authorization_servers": [.string("https://as.example\(path)")],
        ]
        let isMetadata = request.line.contains("/.well-known/oauth-protected-resource")
        try conversation.respond(
          isMetadata ? 200 : request.line.contains("/.well-known/") ? 404 : 401,
          headers: isMetadata
            ? ["Content-Type: application/json"]
            : ["WWW-Authenticate: Bearer resource_metadata=\"\(own)/.well-known/oauth-protected-resource/api\""],
          body: isMetadata ? String(decoding: metadata.serialized(), as: UTF8.self) : "")
      }
    }
    try AgentTree.with { tree in
      let url = server.url("/api")
      let result = try tree.agent(["login", url, "--no-input", "--allow-http-loopback"])
      #expect(!result.succeeded && result.output.isEmpty)
      #expect(result.errorText.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A }, "\(result.errorText)")
      // The others have characters that no hint repeats, or are no issuers.
      #expect(path != "/a&touch&b" || result.errorText.contains(": agent login "), "\(result.errorText)")
      for hint in Hints.all(in: result) {
        guard let start = hint.firstRange(of: "agent ") else { continue }
        // A shell splits the hint into words and does nothing else.
        let words = "agent() { printf '<%s>' \"$@\"; }; touch() { echo TOUCHED; }; " + hint[start.lowerBound...]
        let read = try tree.shell("sh", words)
        #expect(read.errorText.isEmpty && !read.outputText.contains("TOUCHED"), "\(hint): \(read)")
        #expect(read.outputText.contains("<https://as.example\(path)>"), "\(hint): \(read.outputText)")
        #expect(try tree.directory.open("home").fileNames() == [])
      }
    }
  }

  @Test func `of an account that is not there yet may name it with --resource`() throws {
    try Self.with { issuer, tree, resource in
      let arguments = ["login", "work", "--resource", resource, "--no-input", "--json"] + Self.options
      let refused = try tree.agent(arguments)
      #expect(refused.status == .exited(3) && refused.failureCode == "issuer_not_trusted")
      let error = try JSON(parsing: Array(refused.errorText.utf8))["error"]
      let hint = try #require(error?["hint"]?.string)
      let prefix = "if you trust it: "
      #expect(hint.hasPrefix(prefix) && hint.hasSuffix(" --account work --issuer \(issuer.url)"), "\(hint)")
      let login = try tree.shell("dash", String(hint.dropFirst(prefix.utf8.count)))
      #expect(login.succeeded, "\(login.errorText)")
      #expect(try tree.agent(arguments).succeeded)
    }
  }

  @Test(arguments: [("y", 0), ("n", 6), ("", 6)])
  func `asks on the terminal`(answer: String, status: Int) throws {
    try Self.with { issuer, tree, resource in
      let program = try WatchedProgram(
        tree, columns: 200, ["NO_COLOR": "1"], [Programs.path("agent"), "login", resource] + Self.options)
      let screen = try program.until("[y/N]")
      #expect(screen.rows.contains("The resource \(resource) accepts tokens from"))
      #expect(screen.rows.contains("the authorization server \(issuer.url)."))
      #expect(try issuer.count("metadata") == 0)
      if !answer.isEmpty { try program.type(answer) }
      try program.type("^M")
      #expect(try program.end().status == status)
      #expect(try tree.json("list")["accounts"]?.array?.count == (status == 0 ? 1 : 0))
    }
  }

  @Test(
    arguments: [
      ("resource", 1, "server_misbehaved"), ("metadata", 1, "server_misbehaved"), ("no_server", 1, "server_misbehaved"),
      ("no_metadata", 3, "issuer_not_trusted"), ("server", 3, "issuer_not_trusted"),
    ] as [(String, Int32, String)])
  func `believes the resource what the rules allow`(fault: String, status: Int32, code: String) throws {
    try Self.with { issuer, tree, resource in
      try issuer.control("break_resource", fault)
      let result = try tree.agent(["login", resource, "--no-input", "--json"] + Self.options)
      #expect(result.status == .exited(status), "\(result.errorText)")
      #expect(result.failureCode == code)
      #expect(result.errorText.contains("https://issuer.invalid") == (fault == "server"))
      #expect(try issuer.count("metadata") == 0)
    }
  }

  // Common resource libraries append a slash to an issuer with an empty path.
  @Test(arguments: ["", "/"])
  func `takes the server's own spelling where the resource's differs by a slash`(end: String) throws {
    try Self.with { issuer, tree, resource in
      try issuer.control("break_resource", "slash")
      let login = try tree.agent(["login", resource, "--issuer", issuer.url + end] + Self.options)
      try #require(login.succeeded, "\(login.errorText)")
      let settings = try #require(try tree.json("account", "show")["settings"])
      #expect(settings["issuer"]?.string == issuer.url)
      #expect(try tree.agent("request", resource).succeeded)
      // RFC 8414 section 3.3, for any other difference.
      let other = try tree.agent(["login", resource + "/x", "--issuer", issuer.url + "//", "--json"] + Self.options)
      #expect(other.failureCode == "access_denied", "\(other.errorText)")
    }
  }

  @Test func `takes no other issuer than one that the resource names`() throws {
    try Self.with { issuer, tree, resource in
      let other = ["login", resource, "--issuer", "https://id.example", "--json"] + Self.options
      #expect(try tree.agent(other).failureCode == "access_denied")
      // RFC 8414 section 3.3.
      try issuer.control("break_metadata", "other_issuer")
      let mixed = try tree.agent(["login", resource, "--issuer", issuer.url, "--json"] + Self.options)
      #expect(mixed.status == .exited(1) && mixed.failureCode == "server_misbehaved")
      #expect(try tree.json("list")["accounts"] == [])
    }
  }

  @Test(
    arguments: [
      (302, "Location: http://127.0.0.1:1/meta", 2, "server_misbehaved"), (200, "X: y", 2_000_000, "server_misbehaved"),
      (404, "X: y", 2, "invalid_configuration"),
    ] as [(Int, String, Int, String)])
  func `survives a hostile server`(status: Int, header: String, length: Int, code: String) throws {
    let server = try LoopbackServer { conversation in
      while let request = try conversation.readRequest() {
        let isMetadata = request.line.contains("/.well-known/oauth-protected-resource/x ")
        try conversation.respond(
          isMetadata ? status : 404, headers: [header],
          body: "\"" + String(repeating: "x", count: isMetadata ? length - 2 : 2) + "\"")
      }
    }
    try AgentTree.with { tree in
      let result = try tree.agent(["login", server.url("/x"), "--no-input", "--json"] + Self.options)
      #expect(result.failureCode == code, "\(result.errorText)")
      #expect(result.status == .exited(1))
    }
  }

  @Test func `wants https`() throws {
    try AgentTree.with { tree in
      let result = try tree.agent(["login", "http://api.example/", "--no-input", "--json", "--client-id", "cli"])
      #expect(result.status == .exited(2) && result.failureCode == "invalid_request")
    }
  }
}
