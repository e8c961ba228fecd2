import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A status that asks the server` {
  @Test func `says that a session holds`() throws {
    try Session.with { session in
      #expect(try session.tree.check()["check"] == "ok")
      #expect(try session.issuer.count("userinfo") == 1)
      #expect(try session.tree.json("status", "work")["accounts"]?.array?.first?["check"] == nil)
      #expect(try session.issuer.count("userinfo") == 1, "without the option nobody is asked")
      // If nothing is cached, it gets a token first.
      try session.tree.stopDaemon()
      #expect(try session.tree.check()["check"] == "ok")
      #expect(try session.issuer.count("refreshes") == 1)
    }
  }

  @Test func `finds out that a session was ended elsewhere`() throws {
    try Session.with { session in
      try session.issuer.control("revoke_all", "1")
      let account = try session.tree.check()
      #expect(account["check"] == "signed_out_elsewhere" && account["check_cause"] == "revoked")
      #expect(account["state"] == "expired")
      #expect(try session.tree.agent("events", "work").outputText.contains("revoked the session"))
      let asked = try session.issuer.requests()
      let token = try session.tree.agent("token", "work", "--json")
      #expect(token.failed(3))
      #expect(token.failureCode == "session_expired")
      #expect(try session.issuer.requests() == asked)
      try session.tree.stopDaemon()
      #expect(try session.tree.check()["check"] == "not_signed_in")
      #expect(try session.issuer.requests() == asked)
    }
  }

  @Test func `asks by introspection where the client can prove who it is`() throws {
    try AgentTree.with { tree in
      try Issuer.with(["--client-secret-file", tree.path("secret")]) { issuer in
        try tree.signIn(at: issuer.url, clientID: "agent-confidential", "--client-secret-file", tree.path("secret"))
        #expect(try tree.check()["check"] == "ok")
        #expect(try issuer.count("introspections") == 1)
        #expect(try issuer.count("userinfo") == 0)
        try issuer.control("revoke_all", "1")
        let account = try tree.check()
        #expect(account["check"] == "signed_out_elsewhere" && account["check_cause"] == "revoked")
        #expect(account["state"] == "expired")
      }
    }
  }

  @Test func `says when it could not find out`() throws {
    try Session.with { session in
      session.issuer.stop()
      let account = try session.tree.check()
      #expect(account["check"] == "failed")
      #expect(account["check_problem"]?["code"] == "network")
      #expect(account["state"] != "expired")
    }
    try ScriptedServer.with(ScriptedServer.Tokens()) { server in
      try AgentTree.with { tree in
        try tree.signIn(at: server.url)
        #expect(try tree.check()["check"] == "not_possible")
      }
    }
  }

  @Test func `asks for all accounts, and for none that is signed out`() throws {
    try Session.with { session in
      let url = session.issuer.url
      _ = try session.tree.agent(
        "account", "add", "idle", "--issuer", url, "--client-id", "agent-cli", "--allow-http-loopback")
      try session.tree.signIn("home", at: url)
      let status = try session.tree.checked()
      let checks = try #require(status["accounts"]?.array).map {
        "\($0["name"]?.string ?? ""): \($0["check"]?.string ?? "")"
      }
      #expect(checks == ["work: ok", "idle: not_signed_in", "home: ok"])
    }
  }

  @Test func `of no accounts is answered too`() throws {
    try AgentTree.with { tree in
      let status = try tree.checked()
      #expect(status["accounts"] == [])
    }
  }
}
