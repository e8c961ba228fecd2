import Encoding
import Platform
import TestSupport
import Testing

/// Canaille compares loopback ports, sends `iss`, registers any client, uses JWTs as access tokens, and revokes only
/// for confidential clients.
@Suite(.needsPrograms, .needs(.canaille), .serialized, .with(.canaille)) struct `Against Canaille` {
  private func line(_ client: String, _ port: Int = 0) throws -> [String] {
    let server = try RealServer.current()
    return try server.line("--browser", "--client-id", client, "--redirect-uri", server.redirectURI(port))
  }

  @Test func `sign-in with a browser, refresh, and a sign-out that tells why nothing was revoked`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let result = try tree.agent(line("public") + ["--scope", "openid profile email"], ["BROWSER": server.browser()])
      try #require(result.succeeded, "\(result.errorText)")
      let identity = try tree.json("whoami", "work")
      #expect(identity["subject"] == "alice" && identity["issuer"] == .string(server.issuer))
      let first = try tree.token()
      #expect(try tree.token("work", "--force-refresh") != first)
      #expect(try tree.check()["check"] == "ok")
      // The metadata name one client authentication method there, but a secret is accepted (RFC 8414 section 2).
      let end = try #require(try tree.json("logout", "work")["accounts"]?.array?.first)
      #expect(end["revoked"] == false)
      let detail = try #require(end["detail"]?.string)
      #expect(detail.contains("the revocation endpoint does not accept this client's id or secret"), "\(detail)")
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  @Test(.needsBrowser) func `sign-in in a real browser`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let browser = RealBrowser(tree, "--instance", server.folder)
      let result = try browser.awaited {
        try tree.agent(line("public", 1), ["BROWSER": browser.variable])
      }
      try #require(result.succeeded, "\(result.errorText)")
      _ = try browser.seen()
      #expect(try !tree.token().isEmpty)
    }
  }

  // RFC 6749 section 4.1.2.1.
  @Test func `a user who says no ends the sign-in with status 6`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let result = try tree.agent(line("public", 2) + ["--prompt", "consent"], ["BROWSER": server.browser("deny")])
      #expect(result.status == .exited(6))
      #expect(result.failureCode == "access_denied")
    }
  }

  // RFC 7009 section 2.
  @Test(arguments: ["client_secret_basic", "client_secret_post"])
  func `the tokens of a confidential client are revoked`(
    method: String
  ) throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      try tree.directory.write("home/secret", try server.text("client_secret") + "\n")
      let client = method == "client_secret_basic" ? "confidential" : "confidential-post"
      let result = try tree.agent(
        line(client, 3) + ["--client-secret-file", tree.path("home/secret"), "--token-endpoint-auth-method", method],
        ["BROWSER": server.browser()])
      try #require(result.succeeded, "\(result.errorText)")
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      #expect(try tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
    }
  }

  // RFC 7591 section 3.
  @Test func `a client that is registered signs in, and once more`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let first = try tree.agent(server.line("--browser", "--register"), ["BROWSER": server.browser()])
      try #require(first.succeeded, "\(first.errorText)")
      #expect((first.outputText + first.errorText).contains("registered a client"))
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      // The server compares the port, so the registered one is used again.
      let again = try tree.agent(["login", "work", "--browser", "--json"], ["BROWSER": server.browser()])
      #expect(again.succeeded, "\(again.errorText)")
      #expect(!again.outputText.contains("registered a client"))
    }
  }
}
