import Encoding
import Platform
import TestSupport
import Testing

/// An attacker who can edit dotfiles must not be able to redirect a refresh token.
@Suite(.needsPrograms) struct `Settings changed behind the session` {
  enum Setting: String, CaseIterable, Sendable {
    case issuer, clientID, caFile, tokenEndpoint, revocationEndpoint, pins, authentication
  }

  private static func change(
    _ setting: Setting, _ account: inout JSONObject, thief: Issuer, _ tree: AgentTree
  ) {
    switch setting {
    case .issuer: account["issuer"] = .string(thief.url)
    case .clientID: account["client_id"] = "another-client"
    case .caFile: account["ca_file"] = .string(tree.path("home/ca.pem"))
    case .tokenEndpoint: account["token_endpoint"] = .string(thief.url + "/token")
    case .revocationEndpoint: account["revocation_endpoint"] = .string(thief.url + "/revoke")
    case .pins: account["pins"] = ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
    case .authentication: account["token_endpoint_auth_method"] = "client_secret_post"
    }
  }

  @Test(arguments: Setting.allCases) func `nothing is sent until it is put back`(setting: Setting) throws {
    try Issuer.with { thief in
      try Session.with { session in
        let tree = session.tree
        let authority = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        try tree.directory.write("home/ca.pem", authority)
        let original = try tree.directory.read("config/agent/config.json")
        let token = try tree.token()
        let asked = try session.issuer.requests()
        try tree.editSettings { Self.change(setting, &$0, thief: thief, tree) }
        for _ in 0..<2 {
          let result = try tree.agent("token", "work", "--json")
          #expect(result.failed(3), "\(result.outputText)\(result.errorText)")
          #expect(result.failureCode == "configuration_changed")
        }
        let status = try #require(try tree.json("status")["accounts"]?.array?.first)
        #expect(status["state"] == "signed_out")
        #expect(status["problem"]?["code"] == "configuration_changed")
        #expect(try session.issuer.requests() == asked)
        #expect(try thief.requests() == 0)
        try tree.directory.write("config/agent/config.json", original)
        #expect(try tree.token() != token)
        #expect(try session.issuer.count("refreshes") == 1)
      }
    }
  }

  @Test(arguments: [Setting.issuer, .tokenEndpoint, .revocationEndpoint])
  func `a sign-out tells no other server`(setting: Setting) throws {
    try Issuer.with { thief in
      try Session.with { session in
        try session.tree.editSettings { Self.change(setting, &$0, thief: thief, session.tree) }
        let result = try session.tree.json("logout", "work")
        // With another issuer, the sealed settings apply, as for an account that was removed.
        #expect(result["accounts"]?.array?.first?["revoked"] == .bool(setting == .issuer))
        #expect(try (session.issuer.count("revocations") > 0) == (setting == .issuer))
        #expect(try thief.requests() == 0)
        #expect(try session.tree.agent("token", "work").failed(3))
      }
    }
  }

  @Test func `a daemon that starts later notices too`() throws {
    try Issuer.with { thief in
      try Session.with { session in
        try session.tree.stopDaemon()
        try session.tree.editSettings { $0["issuer"] = .string(thief.url) }
        #expect(try session.tree.agent("token", "work", "--json").failureCode == "configuration_changed")
        #expect(try session.tree.agent("token", "work", "--no-daemon", "--json").failureCode == "configuration_changed")
        #expect(try thief.requests() == 0)
      }
    }
  }

  @Test func `a changed metadata cache leads nowhere else`() throws {
    try Issuer.with { thief in
      try Session.with { session in
        let tree = session.tree
        try tree.stopDaemon()
        let folder = tree.path("cache/agent")
        let line = "sed -i 's|\(session.issuer.url)/token|\(thief.url)/token|g' '\(folder)'/*"
        try #require(try ProcessRunner.shell(line).succeeded)
        let poisoned = try ProcessRunner.shell("grep -l '\(thief.url)' '\(folder)'/*")
        try #require(poisoned.succeeded, "the cache has no token endpoint to change")
        let result = try tree.agent("token", "work", "--json")
        #expect(try thief.requests() == 0)
        #expect(result.succeeded || result.failureCode == "endpoint_moved", "\(result.errorText)")
      }
    }
  }

  @Test func `a settings file that is no JSON is told, and is not overwritten`() throws {
    try Session.with { session in
      try session.tree.directory.write("config/agent/config.json", "{\"version\":1,")
      let result = try session.tree.agent("token", "work", "--json")
      #expect(result.failed(1))
      #expect(result.failureCode == "invalid_configuration")
      _ = try session.tree.agent("login", "work", "--json")
      _ = try session.tree.agent("use", "work")
      #expect(try session.tree.directory.readText("config/agent/config.json") == "{\"version\":1,")
    }
  }
}
