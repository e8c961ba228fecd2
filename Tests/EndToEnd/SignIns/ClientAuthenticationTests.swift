import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A client that proves who it is` {
  /// Creates a key and its public half with another implementation. Returns the path of the key.
  private func key(_ tree: AgentTree, _ algorithm: String) throws -> String {
    let result = try ProcessRunner.shell(
      "openssl genpkey \(algorithm) -out '\(tree.path("key.pem"))' 2>/dev/null && openssl pkey -in '\(tree.path("key.pem"))' -pubout -outform DER -out '\(tree.path("public.der"))'"
    )
    try #require(result.succeeded, "\(result.errorText)")
    return tree.path("key.pem")
  }

  // RFC 7523.
  @Test func `signs a token for each request with its key, from a file that is read once`() throws {
    try AgentTree.with { tree in
      let (file, keys) = try ClientKeyPair.make(in: tree)
      try Issuer.with(["--client-jwks", keys]) { issuer in
        try tree.signIn(at: issuer.url, clientID: "agent-jwt", "--client-key-file", file, "--client-key-id", "k1")
        try ProcessRunner.shell("rm '\(file)'")
        let before = try issuer.count("client_assertions")
        #expect(before >= 2)
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
        #expect(try issuer.count("client_assertions") == before + 1)
        let settings = try tree.json("account", "show", "work")["settings"]
        #expect(settings?["token_endpoint_auth_method"] == "private_key_jwt" && settings?["client_key_id"] == "k1")
        let again = try tree.agent(["login", "work", "--device"])
        #expect(again.succeeded, "\(again.errorText)")
        #expect(try issuer.count("client_failures") == 0)
      }
    }
  }

  @Test func `is refused with another key, and told so`() throws {
    try AgentTree.with { tree in
      let keys = try ClientKeyPair.make(in: tree).keys
      try Issuer.with(["--client-jwks", keys]) { issuer in
        let other = try key(tree, "-algorithm ED25519")
        let result = try tree.agent([
          "login", "work", "--issuer", issuer.url, "--client-id", "agent-jwt", "--allow-http-loopback", "--device",
          "--client-key-file", other, "--json",
        ])
        #expect(result.failureCode == "client_rejected", "\(result.errorText)")
      }
    }
  }

  @Test(arguments: ["no key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"])
  func `is told when its key cannot be used, and nothing is sent`(text: String) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.directory.write("key", text)
        let result = try tree.agent([
          "login", "work", "--issuer", issuer.url, "--client-id", "agent-jwt", "--allow-http-loopback", "--json",
          "--client-key-file", tree.path("key"),
        ])
        #expect(result.failureCode == "invalid_configuration")
        #expect(try issuer.requests() == 0)
      }
    }
  }

  @Test func `may have its secret from standard input, which is in no argument`() throws {
    try AgentTree.with { tree in
      try Issuer.with(["--client-secret-file", tree.path("secret")]) { issuer in
        let secret = String(decoding: try tree.directory.read("secret"), as: UTF8.self).filter { !$0.isNewline }
        let result = try tree.agent(
          [
            "login", "work", "--issuer", issuer.url, "--client-id", "agent-confidential", "--allow-http-loopback",
            "--device", "--client-secret-file", "-",
          ], input: secret)
        #expect(result.succeeded, "\(result.errorText)")
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
      }
    }
  }
}

@Suite(.needsPrograms) struct `A client that the server registers` {
  private func login(_ tree: AgentTree, _ issuer: Issuer, _ options: [String] = []) throws -> ProcessResult {
    try tree.agent(
      ["login", "work", "--issuer", issuer.url, "--register", "--allow-http-loopback", "--device", "--json"] + options)
  }

  // RFC 7591, RFC 7592.
  @Test func `signs in, and is deleted with its account`() throws {
    try Issuer.with(["--open-registration"]) { issuer in
      try AgentTree.with { tree in
        let result = try login(tree, issuer)
        try #require(result.succeeded, "\(result.errorText)")
        #expect(try issuer.count("registrations") == 1)
        let id = try #require(try tree.json("account", "show", "work")["settings"]?["client_id"]?.string)
        #expect(result.outputText.contains("registered a client for this account: \(id)"))
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
        // A sign-out only concerns the session; the client remains.
        #expect(try tree.agent("logout", "work").succeeded)
        #expect(try tree.agent("login", "work", "--device").succeeded)
        #expect(try issuer.count("registrations") == 1 && issuer.count("deletions") == 0)
        let removed = try tree.json("account", "remove", "work")
        #expect(removed["client_deleted"] == true && removed["client_detail"] == nil)
        #expect(try issuer.count("deletions") == 1)
      }
    }
  }

  @Test func `is deleted again when nobody approves`() throws {
    try Issuer.with(approval: "never", ["--open-registration"]) { issuer in
      try AgentTree.with { tree in
        #expect(try login(tree, issuer).status == .exited(6))
        try issuer.await("deletions", 1)
        #expect(try tree.json("list")["accounts"] == [])
      }
    }
  }

  @Test func `is deleted again when the sign-in is interrupted`() throws {
    try Issuer.with(approval: "ask", ["--open-registration"]) { issuer in
      try AgentTree.with { tree in
        let login = try tree.start(
          ["login", "work", "--issuer", issuer.url, "--register", "--allow-http-loopback", "--device", "--json"])
        try issuer.await("device_polls", 1)
        try login.signal(Signals.SIGINT)
        #expect(try login.wait() == .exited(130))
        try issuer.await("deletions", 1)
      }
    }
  }

  @Test(arguments: ["redirect_uris", "grant_types", "method", "no_client_id"])
  func `is refused when the server made something else of it`(fault: String) throws {
    try Issuer.with(["--open-registration"]) { issuer in
      try AgentTree.with { tree in
        try issuer.control("break_registration", fault)
        let result = try login(tree, issuer)
        #expect(["server_rejected", "server_misbehaved"].contains(result.failureCode), "\(result.errorText)")
        #expect(try tree.json("list")["accounts"] == [])
        if fault != "no_client_id" { #expect(try issuer.count("deletions") == 1) }
      }
    }
  }

  @Test(arguments: ["foreign_uri", "no_expiry"]) func `is used although the server left something out`(
    fault: String
  ) throws {
    try Issuer.with(["--open-registration"]) { issuer in
      try AgentTree.with { tree in
        try issuer.control("break_registration", fault)
        let result = try login(tree, issuer)
        #expect(result.succeeded, "\(result.errorText)")
        let removed = try tree.json("account", "remove", "work")
        #expect(removed["client_deleted"] == .bool(fault == "no_expiry"))
        #expect(try issuer.count("deletions") == (fault == "no_expiry" ? 1 : 0))
      }
    }
  }
}

@Suite(.needsPrograms) struct `A session of a guest` {
  // RFC 6749 section 4.4.
  @Test func `has tokens without a user, and becomes a user's in place`() throws {
    try Issuer.with(["--open-registration"]) { issuer in
      try AgentTree.with { tree in
        let login = try tree.agent([
          "workload", "work", "--register", "--issuer", issuer.url, "--allow-http-loopback", "--json",
        ])
        try #require(login.succeeded, "\(login.errorText)")
        let end = try JSON(parsing: Array(try #require(login.lines.last).utf8))
        #expect(end["event"] == "signed_in" && end["guest"] == true && end["subject"] == nil)
        let status = try #require(tree.json("status", "work")["accounts"]?.array?.first)
        #expect(status["guest"] == true && status["state"] == "active")
        let first = try tree.token()
        #expect(try tree.token("work", "--force-refresh") != first)
        #expect(try issuer.count("client_grants") == 2)
        #expect(try tree.agent("daemon", "stop").succeeded)
        #expect(try !tree.token().isEmpty && issuer.count("client_grants") == 3)

        let revocations = try issuer.count("revocations")
        let upgrade = try tree.agent(["login", "work", "--device", "--json"])
        try #require(upgrade.succeeded, "\(upgrade.errorText)")
        #expect(try issuer.count("revocations") == revocations + 1)
        let user = try JSON(parsing: Array(try #require(upgrade.lines.last).utf8))
        #expect(user["upgraded_from_guest"] == true && user["subject"]?.string != nil && user["guest"] == nil)
        #expect(try tree.json("status", "work")["accounts"]?.array?.first?["guest"] == nil)
        let back = try tree.agent(["workload", "work", "--json"])
        #expect(back.status == .exited(2) && back.failureCode == "invalid_request")
      }
    }
  }

  @Test func `leads to its own command when it has ended`() throws {
    try Issuer.with(["--open-registration"]) { issuer in
      try AgentTree.with { tree in
        let login = try tree.agent(["workload", "work", "--register", "--issuer", issuer.url, "--allow-http-loopback"])
        try #require(login.succeeded, "\(login.errorText)")
        try #require(try tree.agent("daemon", "restart").succeeded)
        _ = try tree.token()
        try #require(try tree.agent("logout", "work").succeeded)
        let ended = try tree.agent("token", "work")
        #expect(ended.errorText.contains("hint: agent workload work\n"), "\(ended.errorText)")
        let again = try tree.agent(["workload", "work", "--register"])
        #expect(again.succeeded, "\(again.errorText)")
      }
    }
  }

  @Test func `needs a client that proves who it is`() throws {
    try Issuer.with(["--open-registration"]) { issuer in
      try AgentTree.with { tree in
        let result = try tree.agent([
          "workload", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback",
          "--json",
        ])
        #expect(result.status == .exited(2) && result.failureCode == "invalid_request")
        #expect(try issuer.count("client_grants") == 0)
        #expect(try tree.json("list")["accounts"] == [])
      }
    }
  }
}
