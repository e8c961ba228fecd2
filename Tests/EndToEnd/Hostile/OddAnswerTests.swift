import Encoding
import Platform
import TestSupport
import Testing

/// A new refresh token is stored before anything else is checked, and only the issuer ends a grant (RFC 6749 section
/// 5.2, RFC 9700 section 4.14.2).
@Suite(.needsPrograms) struct `An odd answer` {
  /// Members that replace the server's own, as JSON; null removes one.
  struct Oddity: CustomTestStringConvertible, Sendable {
    let json: String
    /// Whether a token is returned all the same.
    var isHarmless = false
    var testDescription: String { json }

    func members() throws -> JSONObject { try #require(try JSON(parsing: Array(json.utf8)).object) }
  }

  static let oddities: [Oddity] =
    [
      #"{"expires_in":-1}"#, #"{"expires_in":"3600.5"}"#, #"{"expires_in":"abc"}"#, #"{"expires_in":1e9}"#,
      #"{"expires_in":99999999999}"#, #"{"scope":["mail"]}"#, #"{"scope":"é"}"#,
      #"{"id_token":""}"#,
    ].map { Oddity(json: $0, isHarmless: true) }
    + [
      #"{"token_type":1}"#, #"{"token_type":"bearer "}"#, #"{"token_type":"mac"}"#, #"{"id_token":"a b"}"#,
      #"{"id_token":5}"#, #"{"access_token":null}"#, #"{"access_token":"a b"}"#, #"{"error":"server_error"}"#,
      #"{"error":"temporarily_unavailable"}"#, #"{"error":"unsupported_grant_type"}"#,
    ].map { Oddity(json: $0) }

  /// A new account, at a server that has received one refresh for it.
  private static func with(
    rotating: Bool = true, _ body: (AgentTree, RotatingServer) throws -> Void
  ) throws {
    try RotatingServer.with { server in
      if !rotating { server.stopRotating() }
      try AgentTree.with { tree in
        try tree.importAccount(at: server)
        try body(tree, server)
      }
    }
  }

  // At this server, a second use of a refresh token ends the grant.
  @Test(arguments: oddities) func `of a server that rotates costs no session`(oddity: Oddity) throws {
    try Self.with { (tree, server) in
      server.fail(.odd(try oddity.members()))
      let first = try tree.agent("token", "work", "--force-refresh", "--json")
      #expect(first.succeeded == oddity.isHarmless, "\(first.errorText)")
      if !oddity.isHarmless { #expect(first.status != .exited(3), "\(first.errorText)") }
      if oddity.json.contains("expires_in") { #expect(try JSON(parsing: first.output)["expires_at"] == nil) }
      #expect(server.refreshes.count == 2, "it is sent again within the call")
      // Another process continues with the state on disk.
      #expect(try tree.agent("token", "work", "--force-refresh", "--no-daemon").succeeded)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      #expect(server.replays == 0 && server.endedGrants == 0 && server.repeated == 0)
    }
  }

  @Test(arguments: oddities) func `of a server that does not rotate costs no session`(oddity: Oddity) throws {
    try Self.with(rotating: false) { (tree, server) in
      let token = try tree.token()
      server.fail(.odd(try oddity.members()))
      let first = try tree.agent("token", "work", "--force-refresh")
      #expect(first.succeeded == oddity.isHarmless, "\(first.errorText)")
      #expect(server.refreshes.count == 2, "it is sent again within the call")
      if !oddity.isHarmless { #expect(try tree.token() == token, "the token that is still good is handed out") }
      #expect(server.refreshes.count == 2)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
    }
  }

  @Test(.enabled(if: SetClock.compiler != nil), arguments: [true, false])
  func `to a renewal in the background costs no session`(rotating: Bool) throws {
    try SetClock.with { (tree, _, clock) in
      try RotatingServer.with { server in
        if !rotating { server.stopRotating() }
        try tree.importAccount("odd", at: server)
        let policy = try tree.agent("account", "set", "odd", "--refresh", "background")
        try #require(policy.succeeded, "\(policy.errorText)")
        #expect(try !tree.token("odd").isEmpty)
        var asleep = 0
        for (number, oddity) in Self.oddities.filter({ !$0.isHarmless }).enumerated() {
          server.fail(.odd(try oddity.members()))
          // The token is due for renewal, or for another attempt.
          asleep += 3700
          try clock.set(asleep: asleep)
          try server.awaitRefreshes(2 * number + 2)
          try tree.awaitStatus(of: "odd") { $0["problem"] != nil }
          #expect(try tree.status(of: "odd")["state"] != "expired", "\(oddity.json)")
          #expect(try !tree.token("odd", "--force-refresh").isEmpty, "\(oddity.json)")
        }
        #expect(server.endedGrants == 0 && server.replays == 0)
        #expect(server.repeated == 0 || !rotating)
      }
    }
  }

  // Only the issuer ends a session, by `invalid_grant`.
  @Test(arguments: [
    #"{"error":"interaction_required"}"#, #"{"error":"login_required"}"#, #"{"error":"consent_required"}"#,
    #"{"error":"account_selection_required"}"#, #"{"error":"invalid_grant","claims":"{\"access_token\":{}}"}"#,
  ])
  func `that wants the person asks for a sign-in and deletes nothing`(body: String) throws {
    for rotating in [true, false] {
      try Self.with(rotating: rotating) { (tree, server) in
        server.failAlways(.refused(body))
        let result = try tree.agent("token", "work", "--force-refresh", "--json")
        #expect(result.failed(3), "\(result.errorText)")
        #expect(result.failureCode == "interaction_required")
        let challenge = body.contains("claims") ? " --claims-challenge eyJhY2Nlc3NfdG9rZW4iOnt9fQ" : ""
        #expect(result.errorText.contains("agent login work\(challenge)\""))
        let status = try tree.status()
        #expect(status["state"] == "expired" && status["problem"]?["code"] == "interaction_required")
        let told = try tree.agent("events", "--json").outputText
        #expect(!told.isEmpty && !told.contains("signed_out"), "\(told)")
        server.failAlways(nil)
        #expect(try tree.agent("token", "work", "--force-refresh", "--no-daemon").succeeded)
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
        #expect(try tree.status()["state"] == "active")
        #expect(server.replays == 0 && server.endedGrants == 0)
      }
    }
  }

  @Test(.enabled(if: SetClock.compiler != nil), arguments: [true, false])
  func `that wants the person lets the background rest until somebody asks`(rotating: Bool) throws {
    try SetClock.with { (tree, _, clock) in
      try RotatingServer.with { server in
        if !rotating { server.stopRotating() }
        try tree.importAccount("odd", at: server)
        _ = try tree.agent("account", "set", "odd", "--refresh", "background")
        #expect(try !tree.token("odd").isEmpty)
        server.failAlways(.refused(#"{"error":"interaction_required"}"#))
        try clock.set(asleep: 3500)
        try server.awaitRefreshes(2)
        try tree.awaitStatus(of: "odd") { $0["state"] == "expired" }
        for asleep in [9000, 20_000, 40_000] { try clock.set(asleep: asleep) }
        #expect(server.refreshes.count == 2, "the background goes on asking")
        #expect(try tree.agent("token", "odd").failed(3))
        #expect(server.refreshes.count == 3)
        #expect(try tree.agent("token", "odd").failed(3))
        #expect(server.refreshes.count == 3)
        server.failAlways(nil)
        try clock.set(asleep: 40_011)
        #expect(try !tree.token("odd").isEmpty)
        #expect(try tree.status(of: "odd")["state"] == "active")
      }
    }
  }

  @Test func `to an import costs nothing of what was traded for`() throws {
    for oddity in Self.oddities {
      try RotatingServer.with { server in
        try AgentTree.with { tree in
          server.fail(.odd(try oddity.members()))
          let result = try tree.agent(
            [
              "account", "import", "work", "--issuer", server.url, "--client-id", "cli", "--allow-http-loopback",
              "--refresh-token-file", "-", "--json",
            ], input: server.mint() + "\n")
          #expect(result.succeeded == oddity.isHarmless, "\(oddity.json): \(result.errorText)")
          #expect(try !tree.token("work", "--force-refresh").isEmpty, "\(oddity.json)")
          #expect(server.replays == 0 && server.endedGrants == 0)
        }
      }
    }
  }

  @Test func `to a sign-in costs nothing of what was approved`() throws {
    for oddity in Self.oddities {
      try RotatingServer.with { server in
        try AgentTree.with { tree in
          server.fail(.odd(try oddity.members()))
          let result = try tree.agent(
            "login", "work", "--issuer", server.url, "--client-id", "cli", "--allow-http-loopback", "--device",
            "--no-open")
          #expect(result.succeeded == oddity.isHarmless, "\(oddity.json): \(result.errorText)")
          #expect(try !tree.token("work", "--force-refresh").isEmpty, "\(oddity.json)")
          #expect(server.replays == 0 && server.endedGrants == 0)
        }
      }
    }
  }

  // RFC 6749 section 3.3 (P-121).
  @Test func `without a scope that was demanded hands out nothing, and one at a sign-in is told`() throws {
    try Self.with { (tree, server) in
      server.failAlways(.odd(["scope": "openid"]))
      let result = try tree.agent("token", "work", "--scope", "mail", "--json")
      #expect(result.failed(6), "\(result.errorText)")
      #expect(result.failureCode == "access_denied")
      #expect(result.errorText.contains("mail"))
      #expect(server.replays == 0)
      server.failAlways(nil)
      server.fail(.odd(["scope": "mail"]))
      let login = try tree.agent(
        "login", "other", "--issuer", server.url, "--client-id", "cli", "--allow-http-loopback", "--device",
        "--no-open", "--scope", "mail calendar")
      #expect(login.succeeded, "\(login.errorText)")
      #expect(login.errorText.contains("missing: calendar"), "\(login.errorText)")
    }
  }

  // GitLab, Cognito and Keycloak return a later sign-in of the same user in `auth_time`.
  @Test func `with another time of authentication is told in the log, and changes nothing`() throws {
    for rotation in ["on", "off"] {
      try Session.with { session in
        try session.issuer.control("rotation", rotation)
        try session.issuer.control("break_id_token", "auth_time")
        #expect(try !session.tree.token("work", "--force-refresh").isEmpty)
        #expect(try session.tree.events().contains { $0["event"] == "authentication_time_changed" })
        try session.issuer.control("break_id_token", "off")
        #expect(try !session.tree.token("work", "--force-refresh").isEmpty)
        #expect(try session.issuer.count("reuse_detected") == 0)
      }
    }
  }

  // OpenID Connect Core section 12.2.
  @Test(arguments: ["iss", "sub", "aud"]) func `for another user holds the account until one is for the first again`(
    claim: String
  ) throws {
    for rotation in ["on", "off"] {
      try Session.with { session in
        try session.issuer.control("rotation", rotation)
        try session.issuer.control("break_id_token", claim)
        let changed = try session.tree.agent("token", "work", "--force-refresh", "--json")
        #expect(changed.failed(3) && changed.failureCode == "identity_changed", "\(changed.errorText)")
        try session.issuer.control("break_id_token", "missing")
        try session.tree.stopDaemon()
        #expect(try session.tree.agent("token", "work").failed(3))
        #expect(try session.tree.agent("token", "work", "--force-refresh").failed(3))
        try session.issuer.control("break_id_token", "off")
        #expect(try !session.tree.token("work", "--force-refresh").isEmpty)
        #expect(try !session.tree.token().isEmpty)
        #expect(try session.issuer.count("reuse_detected") == 0)
      }
    }
  }

  @Test(.enabled(if: SetClock.compiler != nil), arguments: ["on", "off"])
  func `for another user holds an account in the background too, until one is for the first again`(
    rotation: String
  ) throws {
    try SetClock.with { (tree, issuer, clock) in
      try issuer.control("rotation", rotation)
      let policy = try tree.agent("account", "set", "work", "--refresh", "background")
      try #require(policy.succeeded, "\(policy.errorText)")
      #expect(try !tree.token().isEmpty)
      try issuer.control("break_id_token", "sub")
      try clock.set(asleep: 3500)
      try tree.awaitStatus { $0["problem"]?["code"] == "identity_changed" }
      #expect(try tree.agent("token", "work").failed(3))
      try issuer.control("break_id_token", "off")
      try clock.set(asleep: 3700)
      try tree.awaitStatus { $0["state"] == "active" }
      #expect(try !tree.token().isEmpty)
      #expect(try issuer.count("reuse_detected") == 0)
    }
  }

  @Test(.enabled(if: SetClock.compiler != nil), arguments: ["on", "off"])
  func `with another time of authentication is told in the log of a renewal in the background`(
    rotation: String
  ) throws {
    try SetClock.with { (tree, issuer, clock) in
      try issuer.control("rotation", rotation)
      _ = try tree.agent("account", "set", "work", "--refresh", "background")
      let before = try tree.token()
      try issuer.control("break_id_token", "auth_time")
      let refreshes = try issuer.count("refreshes")
      try clock.set(asleep: 3500)
      try tree.awaitStatus { $0["expires_at"]?.int ?? 0 > 0 && $0["state"] == "active" && $0["problem"] == nil }
      #expect(try tree.token() != before)
      #expect(try issuer.count("refreshes") > refreshes)
      #expect(try tree.events().contains { $0["event"] == "authentication_time_changed" })
    }
  }
}
