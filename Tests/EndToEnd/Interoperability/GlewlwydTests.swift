import Encoding
import Platform
import TestSupport
import Testing

/// Its certificate authority is its own.
@Suite(.needsPrograms, .needsGlewlwyd, .serialized, .withGlewlwyd) struct `Against Glewlwyd over TLS` {
  @Test(arguments: ["RS256", "PS256", "ES256", "ES384", "EdDSA"])
  func `sign-in, environment and UserInfo`(algorithm: String) throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      let end = try server.signIn(tree, clientID: try server.clientID(for: algorithm))
      #expect(end["event"] == "signed_in")
      #expect(end["issuer"] == .string(server.issuer))
      let token = try tree.token()
      #expect(try Self.algorithm(ofToken: tree.agent("token", "--id-token")) == algorithm)
      for (shell, form) in `Shell environment`.combinations {
        let script = """
          set -e
          \(form)
          printf 'Authorization: %s %s\\n' "$AGENT_TOKEN_TYPE" "$AGENT_ACCESS_TOKEN" |
            curl -qsS --fail --noproxy '*' --cacert '\(server.authority)' -H @- "$AGENT_ISSUER/userinfo"
          """
        let result = try tree.shell(shell, script)
        try #require(result.succeeded, "\(shell): \(result.errorText)")
        let user = try JSON(parsing: result.output)
        #expect(user["sub"] == end["subject"], "OpenID Connect Core 1.0 section 5.3.2")
      }
      #expect(try tree.token() == token)
      #expect(try tree.files(containing: [token]) == [], "an access token is in a file")
      #expect(try tree.json("whoami", "work")["subject"] == end["subject"])
    }
  }

  /// The algorithm in the header of the printed JWS (RFC 7515 section 4.1.1).
  private static func algorithm(ofToken result: ProcessResult) throws -> String? {
    let header = try #require(result.outputText.split(separator: ".").first)
    return try JSON(parsing: Base64URL.decode(String(header)))["alg"]?.string
  }

  /// The server compares redirect URIs byte by byte, so the port is fixed. A busy one is skipped.
  @Test func `sign-in with a browser, twice`() throws {
    let server = try Glewlwyd.current()
    let (client, redirectURIs) = try server.browserClient()
    try AgentTree.with { tree in
      var result: ProcessResult?
      for uri in redirectURIs {
        result = try tree.agent(
          [
            "login", "work", "--issuer", server.issuer, "--client-id", client, "--ca-file", server.authority,
            "--redirect-uri", uri, "--browser", "--json",
          ], ["BROWSER": server.browser])
        if result?.failureCode != "redirect_unavailable" { break }
      }
      let first = try #require(result)
      try #require(first.succeeded, "\(first.errorText)")
      let end = try JSON(parsing: Array(try #require(first.lines.last).utf8))
      #expect(end["event"] == "signed_in")
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      #expect(try tree.json("whoami", "work")["subject"] == end["subject"])
      // The redirect URI is stored with the account, and the port is free again at once.
      let again = try tree.agent(["login", "work", "--browser", "--json"], ["BROWSER": server.browser])
      #expect(again.succeeded, "\(again.errorText)")
      #expect(try tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
    }
  }

  @Test func `a stopped daemon goes on without a question`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      _ = try server.signIn(tree)
      let first = try tree.token()
      let result = try tree.shell("dash", "agent daemon stop && agent token work --no-input")
      try #require(result.succeeded, "\(result.errorText)")
      #expect(!result.output.isEmpty && result.outputText != first + "\n")
      #expect(try tree.files(containing: [first, String(result.outputText.dropLast())]) == [])
    }
  }

  @Test func `refresh tokens are good once, and each is spent once`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      _ = try server.signIn(tree)
      // This server ends the entire grant when a refresh token is reused.
      var seen: Set<String> = []
      for round in 0..<10 {
        seen.insert(try tree.token("work", "--force-refresh", round.isMultiple(of: 2) ? "--quiet" : "--no-daemon"))
      }
      #expect(seen.count == 10)
      try tree.stopDaemon()
      let answers = try Crowd.run(50, tree, "token", "work")
      for answer in answers { #expect(answer.status == .exited(0), "\(answer.error)") }
      #expect(Set(answers.map(\.output)).count == 1)
    }
  }

  @Test func `after the sign-out nothing is left`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      _ = try server.signIn(tree, "--provider", "glewlwyd")
      let token = try tree.token()
      let saved = try tree.directory.read("state/agent/\(try tree.vaultName())")
      #expect(try tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
      let result = try tree.agent("token", "work")
      #expect(result.failed(3))
      for shell in `Shell environment`.shells {
        #expect(try tree.shell(shell, "set -e; eval $(agent env); echo went on").failed(3))
      }
      #expect(try tree.files(containing: [token]) == [])
      // An old copy of the vault is useless: the server has ended the grant.
      try tree.stopDaemon()
      try tree.directory.write("state/agent/\(try tree.vaultName())", saved)
      let revived = try tree.agent("token", "work")
      #expect(revived.failed(3))
      // The provider's data name its response to a dead refresh token: an empty 400.
      #expect(revived.errorText.contains("refuses to renew the session"), "\(revived.errorText)")
      #expect(revived.errorText.contains("agent login work"))
    }
  }

  @Test func `a server with an unknown authority is refused`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      let result = try tree.agent(
        "login", "work", "--issuer", server.issuer, "--client-id", try server.clientID(for: "RS256"), "--json")
      #expect(result.status == .exited(1))
      #expect(result.failureCode == "certificate_rejected")
    }
  }

  @Test func `only a server with a pinned key is spoken to`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      let wrong = try tree.agent(
        "login", "work", "--issuer", server.issuer, "--client-id", try server.clientID(for: "RS256"), "--ca-file",
        server.authority, "--pin", "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "--json")
      #expect(wrong.status == .exited(1))
      #expect(wrong.failureCode == "pin_mismatch")
      _ = try server.signIn(tree, "--pin", try server.pin())
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
    }
  }

  @Test func `no caller can have the keys of the connections written down`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      _ = try server.signIn(tree)
      try tree.stopDaemon()
      let log = ["SSLKEYLOGFILE": Optional(tree.path("home/keys"))]
      for options in [[], ["--no-daemon"]] {
        #expect(try tree.agent(["token", "work", "--force-refresh"] + options, log).succeeded)
      }
      #expect(try !tree.directory.open("home").exists("keys"))
      // The same library obeys the variable unless it is removed.
      let line = "curl -qsS --noproxy '*' --cacert '\(server.authority)' -o /dev/null \(server.issuer)/jwks"
      #expect(try tree.shell("dash", line, log).succeeded)
      #expect(try tree.directory.open("home").exists("keys"))
    }
  }

  @Test func `a confidential client signs in`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      let (id, secret) = try server.confidentialClient()
      try tree.directory.write("home/secret", secret + "\n")
      _ = try server.signIn(tree, clientID: id, "--client-secret-file", tree.path("home/secret"))
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      // RFC 7662: such a client may introspect its tokens.
      let check = try tree.agent("status", "work", "--check", "--verbose")
      #expect(check.succeeded)
      #expect(
        check.errorText.contains("introspection endpoint: POST \(server.issuer)/introspect: HTTP status 200"),
        "\(check.errorText)")
      #expect(try tree.check()["check"] == "ok")
      #expect(try tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
    }
  }
}
