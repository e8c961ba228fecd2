import Encoding
import Platform
import TestSupport
import Testing

/// RFC 8446, RFC 9110 section 4.3.4.
@Suite(.needsPrograms, .enabled(if: Spawn.search("python3") != nil)) struct `A server with hostile TLS` {
  private typealias Row = (mode: HostileTLSServer.Mode, signIn: HostileRow.Outcome, refresh: HostileRow.Outcome)

  private static let rows: [Row] = [
    (.expired, outcome(.expired), outcome(.expired)),
    (
      .selfSigned,
      untrusted(),
      outcome(.selfSigned)
    ), (.otherHost, outcome(.otherHost), outcome(.otherHost)), (.plain, outcome(.plain), outcome(.plain)),
    (.cut, HostileEndpoint.metadata.outcome(of: "drop"), HostileEndpoint.token.outcome(of: "drop")),
    (.unmeasured, HostileEndpoint.metadata.malformed(), HostileEndpoint.token.malformed(200)),
  ]

  private static func untrusted() -> HostileRow.Outcome {
    .refused(
      "certificate_rejected", 1,
      "the certificate of SERVER's HOST is not trusted: it is self-signed;"
        + " if the server has its own certificate authority, set the file of its certificate with --ca-file")
  }

  /// The required outcome with a server that cannot be authenticated.
  private static func outcome(_ mode: HostileTLSServer.Mode) -> HostileRow.Outcome {
    switch mode {
    case .expired:
      .refused("certificate_rejected", 1, "the certificate of SERVER's HOST has expired; check this machine's clock")
    case .selfSigned: untrusted()
    case .otherHost:
      .refused(
        "certificate_rejected", 1,
        "the certificate of SERVER's HOST is for another host; check the host name in the URL")
    default: .refused("server_unavailable", 4, "the secure connection to SERVER's HOST failed: it does not speak TLS")
    }
  }

  private func signIn(_ tree: AgentTree, _ server: HostileTLSServer) throws -> HostileRow.Outcome {
    let result = try tree.agent(
      "workload", "work", "--issuer", server.url, "--client-id", "client-7", "--ca-file", tree.path("ca.pem"),
      "--client-secret-file", tree.path("secret"), "--host", server.url, "--json")
    return HostileRow.Outcome(result, [(server.url, "SERVER")])
  }

  /// Renews the session's token in each mode, and again with a well-behaved server.
  private func attackRefreshes(_ scene: HostileScene, _ server: HostileTLSServer) throws {
    let tree = scene.tree
    for row in Self.rows {
      let before = try server.behave(row.mode)
      let outcome = HostileRow.Outcome(
        try tree.agent("token", "work", "--force-refresh", "--json"), [(server.url, "SERVER")])
      #expect(outcome == row.refresh, "a refresh with \(row.mode)")
      let after = try server.behave(.good)
      if !row.mode.takesRequests { #expect(after == before, "\(row.mode)") }
      let next = try tree.agent("token", "work", "--force-refresh")
      #expect(next.succeeded, "the session after \(row.mode): \(next.errorText)")
      try scene.expectUnharmed(after: row.mode.rawValue)
    }
  }

  @Test func `gets nobody's secret, starts no session, and ends none`() throws {
    try HostileScene.with { scene in
      let tree = scene.tree
      let server = try HostileTLSServer(tree)
      try tree.directory.write("secret", "s3cret")
      for row in Self.rows {
        let before = try server.behave(row.mode)
        let outcome = try signIn(tree, server)
        #expect(outcome == row.signIn, "a sign-in with \(row.mode)")
        #expect(try tree.agent("token", "work").failed(3), "there is a session after \(row.mode)")
        if !row.mode.takesRequests { #expect(try server.behave(.good) == before, "\(row.mode)") }
        try scene.expectUnharmed(after: row.mode.rawValue)
      }
      try server.behave(.unclosed)
      #expect(try signIn(tree, server) == .accepted)
      try attackRefreshes(scene, server)
    }
  }

  // RFC 9700 section 4.14.2: a reused refresh token ends the session.
  @Test func `costs no refresh token that rotates`() throws {
    try HostileScene.with { scene in
      let tree = scene.tree
      let server = try HostileTLSServer(tree)
      try tree.directory.write("secret", "s3cret")
      try importSession(tree, server)
      try attackRefreshes(scene, server)
    }
  }

  private func importSession(_ tree: AgentTree, _ server: HostileTLSServer) throws {
    try tree.directory.write("refresh", "refresh-0")
    let result = try tree.agent(
      "account", "import", "work", "--issuer", server.url, "--client-id", "client-7", "--ca-file", tree.path("ca.pem"),
      "--client-secret-file", tree.path("secret"), "--host", server.url, "--refresh-token-file", tree.path("refresh"))
    try #require(result.succeeded, "\(result.errorText)")
  }

  @Test func `that answers no handshake does not keep a daemon that stops waiting`() throws {
    try HostileScene.with { scene in
      let tree = scene.tree
      let server = try HostileTLSServer(tree)
      try tree.directory.write("secret", "s3cret")
      try importSession(tree, server)
      try server.standStill()
      let caller = try tree.start(["token", "work", "--force-refresh"])
      try tree.awaitStatus { $0["state"] == "refreshing" }
      Threads.sleep(for: .milliseconds(500))
      let begin = Instant.now
      #expect(try tree.agent("daemon", "stop").succeeded)
      #expect(begin.duration(to: .now) < .seconds(4))
      _ = try caller.wait()
    }
  }

  @Test func `is vouched for by the authorities of the sign-in, and by others on a person's word`() throws {
    try HostileScene.with { scene in
      let tree = scene.tree
      let server = try HostileTLSServer(tree)
      try tree.directory.write("secret", "s3cret")
      try importSession(tree, server)
      let own = String(decoding: try tree.directory.read("ca.pem"), as: UTF8.self)
      let other = String(decoding: try tree.directory.read("selfSigned.pem"), as: UTF8.self)
      // An additional certificate in the file has no effect until it is confirmed.
      try tree.directory.write("ca.pem", other + own)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      try server.behave(.selfSigned)
      #expect(try tree.agent("token", "work", "--force-refresh").failed(1))
      try server.behave(.good)
      try tree.directory.write("ca.pem", other)
      let result = try tree.agent("token", "work", "--force-refresh", "--json")
      #expect(result.failed(3) && result.failureCode == "configuration_changed", "\(result.errorText)")
      #expect(result.failure?["message"]?.string?.contains(tree.path("ca.pem")) == true)
      let command = "agent account set work --ca-file \(tree.path("ca.pem"))"
      #expect(result.failure?["hint"]?.string?.contains(command) == true)
      try tree.directory.write("ca.pem", "# in another order\n" + own + other)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      try #require(tree.shell("sh", command).succeeded)
      try server.behave(.selfSigned)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
    }
  }

  @Test(arguments: [HostileTLSServer.Mode.expired, .selfSigned, .otherHost, .plain])
  func `gets no token by a request or a sign-out either`(mode: HostileTLSServer.Mode) throws {
    try HostileScene.with { scene in
      let tree = scene.tree
      let server = try HostileTLSServer(tree)
      try tree.directory.write("secret", "s3cret")
      try importSession(tree, server)
      let before = try server.behave(mode)
      let names = [(url: server.url, name: "SERVER")]
      let used = try tree.agent(
        "request", server.url + "/resource", "--account", "work", "--json", "--output", tree.path("home/answer"))
      #expect(HostileRow.Outcome(used, names) == Self.outcome(mode))
      let ended = try tree.json("logout", "work")["accounts"]?.array?.first
      let told: JSON = ["code": "not_revoked", "message": ended?["detail"] ?? .null]
      #expect(HostileRow.Outcome(told, 0, names) == .notRevoked(Self.outcome(mode)))
      #expect(try server.behave(.good) == before, "nothing was sent")
      try scene.expectUnharmed(after: mode.rawValue)
    }
  }

  // RFC 9112 section 9.8. Only the resource's server can tell whether its content is complete.
  @Test func `cannot pass off a part of an answer as the whole`() throws {
    try HostileScene.with { scene in
      let tree = scene.tree
      let server = try HostileTLSServer(tree)
      try tree.directory.write("secret", "s3cret")
      #expect(try signIn(tree, server) == .accepted)
      let cut = HostileEndpoint.resource.outcome(of: "drop")
      let modes: [(HostileTLSServer.Mode, HostileRow.Outcome)] = [
        (.cut, cut), (.unmeasured, cut), (.unclosed, cut), (.closed, .accepted), (.good, .accepted),
      ]
      for (mode, outcome) in modes {
        try server.behave(mode)
        try tree.directory.write("home/answer", "before")
        let request = ["request", server.url + "/resource", "--account", "work"]
        let saved = try tree.agent(request + ["--json", "--output", tree.path("home/answer")])
        #expect(HostileRow.Outcome(saved, [(server.url, "SERVER")]) == outcome, "\(mode): \(saved.errorText)")
        let whole = #"{"data": "0123456789"}"#
        let content = try tree.directory.readText("home/answer")
        #expect(outcome == .accepted ? content == whole : whole.hasPrefix(content), "\(mode)")
        let shown = try tree.agent(request)
        #expect(shown.status == .exited(outcome == .accepted ? 0 : 4), "\(mode): \(shown.errorText)")
        #expect(whole.hasPrefix(shown.outputText))
        try scene.expectUnharmed(after: mode.rawValue)
      }
    }
  }

  @Test func `cannot pass off a part of a key set as the whole`() throws {
    try HostileScene.with { scene in
      let tree = scene.tree
      let server = try HostileTLSServer(tree)
      try tree.directory.write("secret", "s3cret")
      #expect(try signIn(tree, server) == .accepted)
      for (mode, outcome) in [
        (HostileTLSServer.Mode.cut, HostileEndpoint.jwks.outcome(of: "drop")),
        (.unmeasured, HostileEndpoint.jwks.malformed(200)),
      ] {
        try server.behave(mode)
        let result = try tree.agent(["verify", "--account", "work", "--json"], input: "x")
        #expect(HostileRow.Outcome(result, [(server.url, "SERVER")]) == outcome, "\(mode): \(result.outputText)")
      }
      try server.behave(.unclosed)
      #expect(try tree.agent(["verify", "--account", "work"], input: "x").status == .exited(7))
      try scene.expectUnharmed(after: "cut keys")
    }
  }
}
