import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms, .enabled(if: Spawn.search("python3") != nil)) struct `A client with a certificate (RFC 8705)` {
  private func login(
    _ tree: AgentTree, _ server: MutualTLSServer, _ certificate: String = "client", _ options: [String] = []
  ) throws -> ProcessResult {
    try tree.agent(
      [
        "workload", "work", "--issuer", server.url, "--client-id", "client-7", "--ca-file", tree.path("ca.pem"),
        "--client-certificate-file", tree.path("\(certificate).pem"), "--client-key-file",
        tree.path("\(certificate).key"), "--json",
      ] + options)
  }

  @Test func `shows it at the endpoints that are named for it, and at resources`() throws {
    try AgentTree.with { tree in
      let server = try MutualTLSServer(tree)
      let result = try login(tree, server, "client", ["--host", String(server.privateURL.dropFirst("https://".count))])
      try #require(result.succeeded, "\(result.errorText)")
      #expect(try server.nextRequest() == "front GET /.well-known/openid-configuration")
      // The alias, and the client ID in the form (RFC 8705 sections 2 and 5).
      #expect(try server.nextRequest() == "back POST /token client-7 client_credentials")
      let settings = try tree.json("account", "show", "work")["settings"]
      #expect(settings?["token_endpoint_auth_method"] == "tls_client_auth" && settings?["client_certificate"] == true)
      let status = try #require(tree.json("status", "work")["accounts"]?.array?.first)
      let thumbprint = try #require(status["certificate_thumbprint"]?.string)
      #expect(try #require(status["certificate_expires_at"]?.int) > SystemTime().wallSeconds())

      // A token bound to the certificate is valid only with it (section 3).
      let answer = try tree.agent("request", server.privateURL + "/resource")
      #expect(answer.succeeded, "\(answer.errorText)")
      #expect(try JSON(parsing: answer.output)["thumbprint"]?.string == thumbprint)
      #expect(try server.nextRequest() == "back GET /resource Bearer")

      // The lease's process has no certificate.
      let lent = try tree.agent(
        "exec", "--lease", "work", "--", "agent", "request", server.privateURL + "/resource")
      #expect(lent.succeeded, "\(lent.errorText)")
      #expect(try JSON(parsing: lent.output)["thumbprint"]?.string == thumbprint)
      #expect(try server.nextRequest() == "back GET /resource Bearer")

      try ProcessRunner.shell("rm '\(tree.path("client.key"))' '\(tree.path("client.pem"))'")
      #expect(try tree.agent("daemon", "stop").succeeded)
      #expect(try tree.token() == "bound-1")
      #expect(try server.nextRequest() == "back POST /token client-7 client_credentials")
    }
  }

  @Test func `gets tokens that are bound to it under FAPI 2.0 too, and needs no other key for that`() throws {
    try AgentTree.with { tree in
      let server = try MutualTLSServer(tree)
      let result = try login(tree, server, "client", ["--profile", "fapi2"])
      try #require(result.succeeded, "\(result.errorText)")
      let settings = try tree.json("account", "show", "work")["settings"]
      #expect(settings?["token_endpoint_auth_method"] == "tls_client_auth" && settings?["dpop"] == nil)
      #expect(try tree.json("token", "work", "--force-refresh")["token_type"] == "Bearer")
    }
  }

  @Test func `is told when the server does not accept it`() throws {
    try AgentTree.with { tree in
      let server = try MutualTLSServer(tree)
      let result = try login(tree, server, "other")
      #expect(!result.succeeded && result.failureCode != nil)
      #expect(try server.newRequests() == ["front GET /.well-known/openid-configuration"], "\(result.errorText)")
      #expect(try tree.json("list")["accounts"] == [])
    }
  }

  @Test func `is told when the key is another's, and nothing is sent`() throws {
    try AgentTree.with { tree in
      let server = try MutualTLSServer(tree)
      try ProcessRunner.shell("cp '\(tree.path("other.key"))' '\(tree.path("client.key"))'")
      let result = try login(tree, server)
      #expect(result.failureCode == "invalid_configuration", "\(result.errorText)")
    }
  }
}
