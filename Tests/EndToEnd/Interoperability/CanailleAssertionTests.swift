import Crypto
import Encoding
import Platform
import TestSupport
import Testing

/// Canaille accepts an assertion whose `iss` is the client and whose `aud` is its token endpoint, signed with the
/// server's own key, and each `jti` of a client assertion once. Authlib provides the grant for assertions about
/// users.
@Suite(.needsPrograms, .needs(.canaille), .serialized, .with(.canaille)) struct `A workload at Canaille` {
  private struct Scene {
    let tree: AgentTree
    let server: RealServer
    let platform: SignedTokens
    let client: String

    /// Writes a JWT into the file like the platform does.
    @discardableResult
    func handOut(_ changes: [(String, JSON?)] = []) throws -> String {
      let id = Base64URL.encode(try Random.bytes(16))
      let usual: [(String, JSON?)] = [
        ("iss", .string(client)), ("sub", client == "workload" ? "alice" : .string(client)),
        ("aud", .string(server.issuer + "/oauth/token")), ("jti", .string(id)),
      ]
      let text = try platform.token(usual + changes)
      try tree.directory.write("token", text + "\n")
      return text
    }

    func login(_ options: String...) throws -> ProcessResult {
      let line = server.line(
        "--client-id", client, "--assertion-file", tree.path("token"), "--scope", "openid profile")
      return try tree.agent(["workload"] + line.dropFirst() + options)
    }

    func renew() throws -> ProcessResult { try tree.agent("token", "work", "--force-refresh", "--json") }
  }

  /// The user's name in an access token, which is a JWT here. Tokens of the same second are identical.
  private static func person(of token: String) throws -> JSON? {
    let parts = token.split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    return try JSON(parsing: Base64URL.decode(parts[1]))["name"]
  }

  private static func with(_ client: String, _ body: (Scene) throws -> Void) throws {
    let server = try RealServer.current()
    let platform = try SignedTokens.signing(withKey: server.text("platform_key"))
    try AgentTree.with { tree in
      try body(Scene(tree: tree, server: server, platform: platform, client: client))
    }
  }

  @Test func `signs in by the JWT in a file, and is renewed by the next one`() throws {
    try Self.with("workload") { scene in
      try scene.handOut()
      let login = try scene.login()
      try #require(login.succeeded, "\(login.errorText)")
      let event = try JSON(parsing: Array(try #require(login.lines.last).utf8))
      #expect(event["event"] == "signed_in" && event["assertion"] == true && event["scope"] == "profile")
      #expect(try Self.person(of: scene.tree.token()) == "Alice")
      try scene.handOut()
      let renewed = try scene.renew()
      try #require(renewed.succeeded, "\(renewed.errorText)")
      let token = try #require(try JSON(parsing: renewed.output)["access_token"]?.string)
      #expect(try Self.person(of: token) == "Alice")
    }
  }

  @Test(
    arguments: [
      ("exp", .int(1_000_000_000), 3, "assertion_needed"), ("aud", "https://other.example", 6, "assertion_rejected"),
    ] as [(String, JSON, Int32, String)])
  func `is told which claim is wrong, at the sign-in and later`(
    claim: String, value: JSON, status: Int32, code: String
  ) throws {
    try Self.with("workload") { scene in
      try scene.handOut([(claim, value)])
      let refused = try scene.login()
      #expect(refused.status == .exited(status) && refused.failureCode == code, "\(refused.errorText)")
      #expect(refused.failure?["message"]?.string?.contains("(\(claim))") == true)
      try scene.handOut()
      try #require(try scene.login().succeeded)
      try scene.handOut([(claim, value)])
      let later = try scene.renew()
      #expect(later.failed(status) && later.failureCode == code, "\(later.errorText)")
      try scene.handOut()
      #expect(try scene.renew().succeeded)
    }
  }

  // RFC 7523 section 3. Here, only the token endpoint is accepted as the audience.
  @Test func `is told what the server says of an audience that it does not take`() throws {
    try Self.with("workload") { scene in
      try scene.handOut([("aud", .string(scene.server.issuer))])
      let refused = try scene.login()
      #expect(refused.status == .exited(6) && refused.failureCode == "assertion_rejected", "\(refused.errorText)")
      #expect(refused.failure?["message"]?.string?.contains("aud") == true, "\(refused.errorText)")
      #expect(refused.failure?["hint"]?.string?.contains("--assertion-audience") == true, "\(refused.errorText)")
    }
  }

  // RFC 7523 section 2.2.
  @Test func `proves by the JWT who the client is, once by each`() throws {
    try Self.with("proved-workload") { scene in
      try scene.handOut()
      let login = try scene.login("--assertion-grant", "client-credentials")
      try #require(login.succeeded, "\(login.errorText)")
      let token = try scene.tree.token()
      #expect(!token.isEmpty)
      let spent = try scene.renew()
      #expect(spent.failureCode == "assertion_rejected", "\(spent.errorText)")
      #expect(spent.failure?["message"]?.string?.contains("JWT ID is used before") == true, "\(spent.errorText)")
      #expect(try scene.tree.token() == token)
      try scene.handOut()
      let renewed = try scene.renew()
      try #require(renewed.succeeded, "\(renewed.errorText)")
      #expect(try JSON(parsing: renewed.output)["access_token"]?.string != token)
    }
  }

  // draft-ietf-oauth-identity-assertion-authz-grant.
  @Test func `signs in by way of the issuer where its user is signed in`() throws {
    let server = try RealServer.current()
    try AgentTree.with { tree in
      try Issuer.with { issuer in
        try tree.signIn("person", at: issuer.url, "--scope", "openid offline_access")
        let subject = try #require(try tree.json("whoami", "person")["subject"])
        let keys = try JSON(parsing: PlainHTTP.get(port: issuer.port, "/jwks").body)
        func trust(_ subject: JSON) throws {
          let trusted = JSON.array([.object(["issuer": .string(issuer.url), "keys": keys, "subject": subject])])
          try server.write("trusted.json", trusted.serialized())
        }
        try trust("somebody")
        try tree.directory.write("home/secret", try server.text("client_secret") + "\n")
        let line =
          ["workload"]
          + server.line("--client-id", "agent-cli", "--client-secret-file", tree.path("home/secret")).dropFirst()
          + ["--assertion-account", "person", "--scope", "profile"]
        let refused = try tree.agent(line)
        #expect(refused.status == .exited(6) && refused.failureCode == "assertion_rejected", "\(refused.errorText)")
        try trust(subject)
        let login = try tree.agent(line)
        try #require(login.succeeded, "\(login.errorText)")
        for _ in 0..<2 { #expect(try Self.person(of: tree.token("work", "--force-refresh")) == "Alice") }
        #expect(try issuer.count("identity_assertions") == 4)
      }
    }
  }
}
