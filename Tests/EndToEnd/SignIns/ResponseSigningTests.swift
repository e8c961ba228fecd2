import Encoding
import Platform
import TestSupport
import Testing

// OpenID Connect Dynamic Client Registration 1.0 section 2.
@Suite(.needsPrograms) struct `What a client is registered to get` {
  // OpenID Connect Core section 3.1.3.7 step 8.
  @Test func `is an ID Token under its secret, only where the account says so`() throws {
    try AgentTree.with { tree in
      let secret = tree.path("secret")
      try Issuer.with(["--client-secret-file", secret, "--id-token-secret"]) { issuer in
        let login = [
          "login", "work", "--issuer", issuer.url, "--client-id", "agent-confidential", "--allow-http-loopback",
          "--device", "--client-secret-file", secret, "--json",
        ]
        let refused = try tree.agent(login)
        #expect(refused.failureCode == "id_token_rejected", "\(refused.errorText)")
        let taken = try tree.agent(login + ["--id-token-algorithm", "HS256"])
        #expect(taken.succeeded, "\(taken.errorText)")
        #expect(try tree.json("whoami", "work")["subject"] == "user-alice")
        #expect(try tree.json("account", "show", "work")["settings"]?["id_token_algorithm"] == "HS256")
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
        try tree.set("--unset", "id-token-algorithm")
        #expect(try tree.agent("token", "work", "--force-refresh", "--json").failureCode == "id_token_rejected")
      }
    }
  }

  // OpenID Connect Core sections 5.3.2 and 5.3.4.
  @Test func `is signed UserInfo, and no other where the account says so`() throws {
    try Issuer.with(["--sign-userinfo"]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url)
        #expect(try tree.check()["check"] == "ok")
        try tree.set("--userinfo-algorithm", "ES256")
        #expect(try tree.check()["check"] == "ok")
        try tree.set("--userinfo-algorithm", "RS256")
        #expect(try tree.check()["check_problem"]?["code"] == "server_misbehaved")
      }
    }
    try Session.with { session in
      try session.tree.set("--userinfo-algorithm", "RS256")
      let account = try session.tree.check()
      #expect(account["check"] == "failed")
      #expect(
        account["check_problem"]?["message"] == "the answer of the UserInfo endpoint was rejected: it is not signed")
    }
  }

  // RFC 9110 section 6.6.1.
  @Test func `is named as out of its time with the difference of the clocks`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try issuer.control("clock_offset", "-7200")
        let result = try tree.agent([
          "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
          "--json",
        ])
        #expect(result.failureCode == "id_token_rejected")
        #expect(result.errorText.contains("seconds ahead of the server's"))
      }
    }
  }
}

extension AgentTree {
  fileprivate func set(_ options: String...) throws {
    let result = try agent(["account", "set", "work"] + options)
    try #require(result.succeeded, "\(result.errorText)")
  }
}
