import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms, .needsGlewlwyd, .serialized, .withGlewlwyd) struct `Clients that Glewlwyd registers` {
  private static let methods: [(String, [String])] = [
    ("client_secret_basic", []),
    ("private_key_jwt", ["--token-endpoint-auth-method", "private_key_jwt", "--assertion-audience", "endpoint"]),
  ]

  /// Glewlwyd announces no public clients, has its own name for the device grant, responds to a registration with
  /// 200, finds a client's key only by its name, and requires each endpoint as the audience of an assertion.
  @Test(arguments: methods) func `sign in, and are deleted with their accounts`(
    method: String, options: [String]
  ) throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      let end = try server.signIn(tree, ["--register"] + options)
      #expect(end["event"] == "signed_in" && end["subject"]?.string != nil)
      #expect(try tree.json("account", "show", "work")["settings"]?["token_endpoint_auth_method"]?.string == method)
      #expect(try !tree.token("work", "--force-refresh").isEmpty)
      let removed = try tree.json("account", "remove", "work")
      #expect(removed["revoked"] == true && removed["client_deleted"] == true)
    }
  }

  @Test func `get tokens without a user`() throws {
    let server = try Glewlwyd.current()
    try AgentTree.with { tree in
      let login = try tree.agent([
        "workload", "work", "--register", "--issuer", server.issuer, "--ca-file", server.authority, "--scope",
        "api:read", "--json",
      ])
      try #require(login.succeeded, "\(login.errorText)")
      let first = try tree.token()
      #expect(try tree.token("work", "--force-refresh") != first)
      #expect(try tree.json("account", "remove", "work")["client_deleted"] == true)
    }
  }
}
