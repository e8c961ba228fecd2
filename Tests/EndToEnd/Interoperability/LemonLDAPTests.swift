import Encoding
import Platform
import TestSupport
import Testing

/// This portal compares loopback ports, sends no `iss`, names a further audience in ID Tokens, does not decode HTTP
/// Basic, and offers neither the device flow nor revocation.
@Suite(.needsPrograms, .needs(.lemonLDAP), .serialized, .with(.lemonLDAP)) struct `Against LemonLDAP::NG` {
  private func signIn(_ tree: AgentTree, _ options: String..., browser: String? = nil) throws -> ProcessResult {
    let server = try RealServer.current()
    return try tree.agent(
      server.line("--browser") + options, ["BROWSER": browser ?? server.browser()])
  }

  private func confidential(_ tree: AgentTree, _ options: String...) throws -> [String] {
    let server = try RealServer.current()
    try tree.directory.write("home/secret", try server.text("client_secret") + "\n")
    return try server.line("--browser", "--client-id", "confidential", "--redirect-uri", server.redirectURI(1))
      + ["--client-secret-file", tree.path("home/secret")] + options
  }

  @Test func `sign-in with a browser, UserInfo, refresh, and a sign-out that tells that nothing was revoked`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let result = try signIn(
        tree, "--client-id", "public", "--redirect-uri", server.redirectURI(), "--scope", "openid profile email")
      try #require(result.succeeded, "\(result.errorText)")
      let identity = try tree.json("whoami", "work")
      #expect(identity["subject"] == "dwho")
      #expect(identity["issuer"] == .string(server.issuer))
      let first = try tree.token()
      #expect(try tree.token("work", "--force-refresh") != first)
      let answer = try tree.agent("request", "\(server.issuer)/oauth2/userinfo")
      try #require(answer.succeeded, "\(answer.errorText)")
      #expect(try JSON(parsing: answer.output)["sub"] == "dwho")
      #expect(try tree.check()["check"] == "ok")
      let end = try #require(try tree.json("logout", "work")["accounts"]?.array?.first)
      #expect(end["revoked"] == false)
      #expect(end["detail"] == "the server offers no revocation and may still accept the tokens")
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  @Test(.needsBrowser) func `sign-in in a real browser`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let browser = RealBrowser(tree, "--instance", server.folder)
      let result = try browser.awaited {
        try signIn(
          tree, "--client-id", "public", "--redirect-uri", server.redirectURI(2), browser: browser.variable)
      }
      try #require(result.succeeded, "\(result.errorText)")
      _ = try browser.seen()
      #expect(try !tree.token().isEmpty)
    }
  }

  // RFC 6749 section 2.3.1 requires a percent-encoded ID and secret, which this server does not decode. OpenID
  // Connect Core 1.0 section 3.1.3.7: an untrusted audience is refused.
  @Test func `what its confidential client needs is said by the hints, one after the other`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let browser = ["BROWSER": server.browser()]
      let encoded = try tree.agent(confidential(tree), browser)
      #expect(encoded.failureCode == "client_rejected")
      #expect(encoded.errorText.contains("--basic-unencoded"), "\(encoded.errorText)")
      let unencoded = try tree.agent(confidential(tree, "--basic-unencoded"), browser)
      #expect(unencoded.failureCode == "id_token_rejected")
      let hint = "--trust-audience '\(try server.text("audience"))'"
      #expect(unencoded.errorText.contains(hint), "\(unencoded.errorText)")
      let trusted = ["--trust-audience", try server.text("audience")]
      let result = try tree.agent(confidential(tree, "--basic-unencoded") + trusted, browser)
      try #require(result.succeeded, "\(result.errorText)")
      #expect(try tree.json("whoami", "work")["subject"] == "dwho")
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
    }
  }

  @Test func `a client that is registered signs in, whatever its id and secret are made of, and once more`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let result = try signIn(tree, "--register")
      try #require(result.succeeded, "\(result.errorText)")
      #expect((result.outputText + result.errorText).contains("registered a client"))
      #expect(try !tree.token().isEmpty)
      // The server compares the port: the registered one is used again.
      let again = try tree.agent(["login", "work", "--browser", "--json"], ["BROWSER": server.browser()])
      #expect(again.succeeded, "\(again.errorText)")
      #expect(!again.outputText.contains("registered a client"))
    }
  }

  @Test func `a device code is not to be had`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let result = try tree.agent(server.line("--client-id", "public", "--device"))
      #expect(result.status == .exited(1))
      #expect(result.errorText.contains("the server does not name the device authorization endpoint"))
    }
  }
}
