import Encoding
import Platform
import TestSupport
import Testing

/// This server has one flow per client, opaque tokens, and device authorization and revocation endpoints that are
/// missing from its metadata.
@Suite(.needsPrograms, .needs(.djangoOAuthToolkit), .serialized, .with(.djangoOAuthToolkit))
struct `Against django-oauth-toolkit` {
  private func codeSignIn(_ tree: AgentTree, _ browser: String) throws -> ProcessResult {
    try tree.agent(RealServer.current().codeLine(), ["BROWSER": browser])
  }

  @Test func `sign-in with a browser, UserInfo, refresh and revocation`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let result = try codeSignIn(tree, server.user("browse"))
      try #require(result.succeeded, "\(result.errorText)")
      let end = try JSON(parsing: Array(try #require(result.lines.last).utf8))
      #expect(end["issuer"] == .string(server.issuer))
      let identity = try tree.json("whoami", "work")
      #expect(identity["subject"] == end["subject"] && end["subject"]?.string?.isEmpty == false)
      #expect(identity["claims"]?["aud"] == "public-code")
      // An opaque token has no meaningful parts (RFC 6749 section 1.4).
      let first = try tree.token()
      #expect(!first.contains("."))
      // UserInfo accepts the token until the revocation (RFC 7009 section 2).
      #expect(try tree.check()["check"] == "ok")
      // Each refresh token is single-use here (RFC 9700 section 4.14.2).
      let tokens = try (0..<3).map { _ in try tree.token("work", "--force-refresh") }
      #expect(Set(tokens + [first]).count == 4)
      #expect(try userInfo(server, tokens[2]) == "200")
      #expect(try tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
      #expect(try userInfo(server, tokens[2]) == "401")
      #expect(try tree.agent("token", "work").failed(3))
      #expect(try tree.files(containing: tokens) == [])
    }
  }

  private func userInfo(_ server: RealServer, _ token: String) throws -> String {
    let line = "curl -qsS --noproxy '*' -o /dev/null -w '%{http_code}' -H @- '\(server.issuer)/userinfo/'"
    let result = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", line], input: Array("Authorization: Bearer \(token)\n".utf8))
    return result.outputText
  }

  @Test(.needsBrowser) func `sign-in in a real browser`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let browser = RealBrowser(tree, "--instance", server.folder)
      let result = try browser.awaited { try codeSignIn(tree, browser.variable) }
      try #require(result.succeeded, "\(result.errorText)")
      _ = try browser.seen()
      #expect(try !tree.token().isEmpty)
    }
  }

  // RFC 6749 section 4.1.2.1.
  @Test func `a user who cancels ends the sign-in with status 6`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let result = try codeSignIn(tree, server.user("refuse"))
      #expect(result.status == .exited(6))
      #expect(result.failureCode == "access_denied")
    }
  }

  // RFC 8628 section 3.
  @Test func `sign-in by device code at an endpoint that is named by hand`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let end = try server.signIn(tree, "public-device")
      #expect(end.event["event"] == "signed_in")
      #expect(end.event["scope"] == "read")
      #expect(end.status == .exited(0))
      let first = try tree.token()
      #expect(try tree.token("work", "--force-refresh") != first)
    }
  }

  @Test func `its metadata alone name no device authorization endpoint`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let result = try tree.agent(server.line("--client-id", "public-device", "--device"))
      #expect(result.status == .exited(1))
      #expect(result.errorText.contains("the server does not name the device authorization endpoint"))
    }
  }

  // RFC 8628 section 3.5.
  @Test func `a device that is denied ends with status 6`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let end = try server.signIn(tree, "public-device", "deny")
      #expect(end.event["code"] == "access_denied")
      #expect(end.status == .exited(6))
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  // OpenID Connect Core section 3: this server's device grant has no ID Token.
  @Test func `an identity that was asked for and does not come is missed, and no more`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let end = try server.signIn(tree, "public-device", "approve", "--scope", "openid")
      #expect(end.notices == ["the server sent no ID Token for the device code, so the user is not verified"])
      #expect(end.event["event"] == "signed_in" && end.event["subject"] == nil)
      #expect(end.status == .exited(0))
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      // UserInfo still returns the user (OpenID Connect Core section 5.3).
      #expect(try tree.json("whoami", "work")["subject"]?.string?.isEmpty == false)
    }
  }

  // RFC 7591 section 3. The metadata name no registration endpoint, and registered clients get no ID Token.
  @Test func `a client that is registered signs in, and is deleted with its account`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      let result = try tree.agent(
        [
          "login", "work", "--issuer", server.issuer, "--allow-http-loopback", "--json", "--register",
          "--registration-endpoint", "\(server.issuer)/register/", "--browser", "--scope", "read",
        ], ["BROWSER": server.user("browse")])
      try #require(result.succeeded, "\(result.errorText)")
      let first = try tree.token()
      #expect(try tree.token("work", "--force-refresh") != first)
      #expect(try tree.json("account", "remove", "work")["client_deleted"] == true)
    }
  }

  // RFC 6749 section 2.3.1. The device authorization endpoint requires `client_id` in the form, with any client
  // authentication (RFC 8628 section 3.1).
  @Test(arguments: ["client_secret_basic", "client_secret_post"]) func `a confidential client signs in`(
    method: String
  ) throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      try tree.directory.write("home/secret", try server.text("client_secret") + "\n")
      let end = try server.signIn(
        tree, "confidential-device", "approve", "--client-secret-file", tree.path("home/secret"),
        "--token-endpoint-auth-method", method, "--revocation-endpoint",
        "\(server.issuer)/revoke_token/")
      #expect(end.status == .exited(0))
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      #expect(try tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
    }
  }
}

extension RealServer {
  /// A value of `BROWSER`: the user signs in, then allows ("browse") or denies ("refuse").
  fileprivate func user(_ word: String) -> String { "\(Self.path("DjangoOAuthToolkit/user")) \(folder) \(word)" }

  fileprivate func codeLine() throws -> [String] {
    try line(
      "--client-id", "public-code", "--browser", "--redirect-uri", text("redirect_uri"), "--revocation-endpoint",
      "\(issuer)/revoke_token/")
  }

  /// Signs in by device code; the user approves or denies. Returns the last event, and the notices before it.
  fileprivate func signIn(
    _ tree: AgentTree, _ client: String, _ verdict: String = "approve", _ options: String...
  ) throws -> (event: JSON, notices: [JSON], status: ProcessStatus) {
    let login = try tree.start(
      line(
        "--client-id", client, "--device", "--device-authorization-endpoint", text("device_authorization_endpoint"),
        "--scope", "read") + options)
    let code = try JSON(parsing: Array(login.readLine().utf8))
    let user = try Self.script("DjangoOAuthToolkit/user", folder, verdict, try #require(code["user_code"]?.string))
    try #require(user.succeeded, "\(user.errorText)")
    var event = try JSON(parsing: Array(login.readLine().utf8))
    var notices: [JSON] = []
    while event["event"] == "notice" {
      notices.append(try #require(event["message"]))
      event = try JSON(parsing: Array(login.readLine().utf8))
    }
    return (event, notices, try login.wait())
  }
}
