import Encoding
import Platform
import TestSupport
import Testing

/// `--profile fapi2`, with an issuer that meets FAPI 2.0.
@Suite(.needsPrograms) struct `An account under FAPI 2.0` {
  private struct Scene {
    let tree: AgentTree
    let issuer: Issuer
    let keyFile: String

    var line: [String] {
      [
        "login", "work", "--issuer", issuer.url, "--client-id", "agent-jwt", "--allow-http-loopback", "--profile",
        "fapi2", "--client-key-file", keyFile, "--client-key-id", "k1", "--json",
      ]
    }

    func login() throws -> BrowserLogin { try BrowserLogin(tree, line + ["--browser", "--no-open"]) }

    func signIn() throws {
      let login = try login()
      #expect(try BrowserLogin.browse(login.url) == "200")
      let (event, status) = try login.end()
      #expect(event["event"] == "signed_in" && status == .exited(0), "\(event)")
    }

    /// The failure of a sign-in that ends after reading the server's metadata.
    func refusal(_ options: String...) throws -> ProcessResult {
      let result = try tree.agent(line + ["--browser", "--no-open"] + options)
      #expect(try issuer.count("pushed_requests") == 0)
      return result
    }
  }

  private func with(_ options: [String] = ["--fapi2"], body: (Scene) throws -> Void) throws {
    try AgentTree.with { tree in
      let (file, keys) = try ClientKeyPair.make(in: tree)
      try Issuer.with(["--client-jwks", keys] + options) { issuer in
        try body(Scene(tree: tree, issuer: issuer, keyFile: file))
      }
    }
  }

  private static func isRefused(_ result: ProcessResult, _ rule: String) -> Bool {
    result.failureCode == "invalid_configuration"
      && result.failure?["message"]?.string?.contains("FAPI 2.0 Security Profile, rule \(rule): ") == true
  }

  @Test func `signs in, and renews and uses its tokens, without any other option`() throws {
    try with { scene in
      try scene.signIn()
      let settings = try scene.tree.json("account", "show", "work")["settings"]
      #expect(settings?["profile"] == "fapi2" && settings?["dpop"] == true)
      #expect(settings?["token_endpoint_auth_method"] == "private_key_jwt")
      #expect(try scene.tree.json("token", "work", "--force-refresh")["token_type"] == "DPoP")
      #expect(try scene.tree.agent("request", scene.issuer.url + "/userinfo").succeeded)
      #expect(try scene.issuer.count("pushed_requests") == 1 && scene.issuer.count("refreshes") == 1)
      #expect(try scene.issuer.count("client_failures") == 0)
      #expect(try scene.tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == true)
    }
  }

  @Test func `is refused at each weaker server by the number of the rule, before a person is asked`() throws {
    try with { scene in
      for (fault, rule) in [
        ("no_par", "5.3.3.2-2"), ("no_s256", "5.3.3.2-3"), ("plain", "5.3.3.2-3"), ("no_iss_parameter", "5.3.3.2-5"),
        ("no_dpop", "5.3.3.1-1"), ("secrets_only", "5.3.3.1-2"), ("rs256_clients", "5.4.1-1"),
        ("rs256_id_tokens", "5.4.1-1"),
      ] {
        try scene.issuer.control("break_metadata", fault)
        let result = try scene.refusal()
        #expect(Self.isRefused(result, rule), "\(fault): \(result.errorText)")
      }
    }
  }

  @Test func `is refused with an option that contradicts the profile`() throws {
    try with { scene in
      for (options, rule) in [
        (["--client-key-algorithm", "ES384"], "5.4.1-1"), (["--id-token-algorithm", "RS256"], "5.4.1-1"),
        (["--assertion-audience", "endpoint"], "5.3.3.1-5"),
        (["--token-endpoint", scene.issuer.url + "/token"], "5.3.3.1-9"),
        (["--token-endpoint-auth-method", "client_secret_basic"], "5.3.3.1-2"),
      ] {
        let result = try scene.tree.agent(scene.line + ["--browser", "--no-open"] + options)
        #expect(Self.isRefused(result, rule), "\(options): \(result.errorText)")
        // Its settings were set before the sign-in.
        #expect(try scene.tree.agent("account", "remove", "work").succeeded)
      }
      let device = try scene.tree.agent(scene.line + ["--device"])
      #expect(Self.isRefused(device, "5.3.3.2-1"), "\(device.errorText)")
      #expect(try scene.issuer.count("device_authorizations") == 0)
    }
  }

  @Test func `takes no answer to the sign-in without iss`() throws {
    try with { scene in
      let login = try scene.login()
      try scene.issuer.control("break_authorization", "missing_iss")
      try BrowserLogin.browse(login.url)
      let (event, _) = try login.end()
      #expect(event["event"] == "error" && event["code"] == "invalid_configuration")
      #expect(event["message"]?.string?.contains("rule 5.3.3.2-5: ") == true)
      #expect(try scene.issuer.count("code_grants") == 0)
    }
  }

  @Test(arguments: ["on", "off"])
  func `loses no session at a server that becomes weaker between two renewals`(rotation: String) throws {
    try with { scene in
      try scene.issuer.control("rotation", rotation)
      try scene.signIn()
      try scene.issuer.control("break_dpop", "bearer")
      let result = try scene.tree.agent("token", "work", "--force-refresh", "--json")
      #expect(Self.isRefused(result, "5.3.3.1-1"), "\(result.errorText)")
      try scene.issuer.control("break_dpop", "off")
      #expect(try scene.tree.agent("daemon", "stop").succeeded)
      #expect(try scene.tree.json("token", "work", "--force-refresh")["token_type"] == "DPoP")
      #expect(try scene.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `is held to the profile whatever the settings file says afterwards`() throws {
    try with { scene in
      try scene.signIn()
      let asked = try scene.issuer.requests()
      try scene.tree.editSettings { $0["profile"] = nil }
      let result = try scene.tree.agent("token", "work", "--force-refresh", "--json")
      #expect(result.failureCode == "configuration_changed", "\(result.errorText)")
      #expect(try scene.issuer.requests() == asked)
    }
  }
}
