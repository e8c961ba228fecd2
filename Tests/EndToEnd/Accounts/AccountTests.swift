import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Accounts` {
  @Test func `are added without a sign-in, shown, and signed in to later`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let added = try tree.agent(
          "account", "add", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback",
          "--scope", "openid offline_access", "--json")
        #expect(added.outputText == #"{"account":"work","active":true}"# + "\n")
        #expect(try issuer.requests() == 0)
        let settings = try tree.json("account", "show")["settings"]
        #expect(settings?["issuer"]?.string == issuer.url)
        #expect(settings?["scope"] == ["openid", "offline_access"])
        #expect(try tree.agent("token").failed(3))
        #expect(try tree.agent("login").succeeded)
        #expect(try !tree.token().isEmpty)
        let again = try tree.agent("account", "add", "work", "--issuer", "https://x", "--client-id", "c", "--json")
        #expect(again.failed(1))
        #expect(again.failureCode == "account_exists")
      }
    }
  }

  @Test func `are changed; what is sealed signs out until it is put back`() throws {
    try Session.with { session in
      let token = try session.tree.token()
      #expect(
        try session.tree.json("account", "set", "work", "--scope", "openid", "--keep")
          == ["account": "work", "signed_out": false])
      #expect(try session.tree.token() == token, "the session goes on")
      #expect(
        try session.tree.json("account", "set", "work", "--client-id", "other")
          == ["account": "work", "signed_out": true, "setting": "client_id"])
      let asked = try session.issuer.requests()
      let refused = try session.tree.agent("token", "work", "--json")
      #expect(refused.failed(3))
      #expect(refused.failureCode == "configuration_changed")
      #expect(try session.tree.json("status", "work")["accounts"]?.array?.first?["state"] == "signed_out")
      #expect(try session.issuer.requests() == asked)
      #expect(
        try session.tree.json("account", "set", "work", "--client-id", "agent-cli", "--unset", "keep")
          == ["account": "work", "signed_out": false])
      #expect(try !session.tree.token().isEmpty)
      #expect(try session.tree.json("account", "show", "work")["settings"]?["keep"] == nil)
    }
  }

  @Test func `deleted from the file by hand are neither used nor renewed, and can be named to end their session`()
    throws
  {
    try Session.with { session in
      let (tree, issuer) = (session.tree, session.issuer)
      _ = try tree.token()
      var kept: JSON?
      func change(_ accounts: (inout JSONObject) -> Void) throws {
        try tree.editAllSettings { settings in
          var all = try #require(settings["accounts"]?.object)
          accounts(&all)
          settings["accounts"] = .object(all)
        }
      }
      try change { accounts in
        kept = accounts["work"]
        accounts["work"] = nil
      }
      let asked = try issuer.requests()
      for command in [["token", "work"], ["token", "work", "--force-refresh"], ["whoami", "work"], ["use", "work"]] {
        #expect(try tree.agent(command + ["--json"]).failureCode == "no_account")
      }
      let listed = try #require(try tree.json("list")["accounts"]?.array?.first)
      #expect(listed["name"] == "work" && listed["in_config"] == false && listed["issuer"] == .string(issuer.url))
      #expect(try tree.agent("list").outputText.contains("not in config.json"))
      let status = try #require(try tree.json("status", "work")["accounts"]?.array?.first)
      #expect(status["problem"]?["message"]?.string?.contains("not in config.json") == true)
      #expect(try tree.agent("status", "--check").succeeded)
      #expect(try tree.agent("status", "nobody", "--json").failureCode == "no_account")
      #expect(try issuer.requests() == asked)
      try change { $0["work"] = kept }
      #expect(try !tree.token().isEmpty)
      #expect(try tree.json("list")["accounts"]?.array?.first?["in_config"] == nil)
      try change { $0["work"] = nil }
      let revoked = try issuer.count("revocations")
      #expect(try tree.json("logout", "work") == ["accounts": [["account": "work", "revoked": true]]])
      #expect(try issuer.count("revocations") > revoked)
      #expect(try tree.json("list")["accounts"] == [])
      #expect(try tree.agent("logout", "work", "--json").failureCode == "no_account")
    }
  }

  @Test(arguments: [["account", "remove", "work"], ["logout", "--all"]])
  func `deleted from the file by hand are forgotten`(command: [String]) throws {
    try Session.with { session in
      try session.tree.editAllSettings { $0["accounts"] = .object(JSONObject()) }
      let result = try session.tree.agent(command)
      #expect(result.succeeded, "\(result.errorText)")
      #expect(try session.issuer.count("revocations") >= 1)
      #expect(try session.tree.json("list")["accounts"] == [])
    }
  }

  @Test func `are renamed with their session`() throws {
    try Session.with { session in
      let token = try session.tree.token()
      let asked = try session.issuer.requests()
      #expect(
        try session.tree.json("account", "rename", "work", "job")
          == ["account": "job", "renamed_from": "work", "active": true])
      #expect(try session.tree.token("job") == token, "the token in memory moved along")
      #expect(try session.issuer.requests() == asked)
      #expect(try session.tree.agent("token", "work").failed(3))
      try session.tree.stopDaemon()
      #expect(try !session.tree.token("job").isEmpty)
      #expect(try !session.tree.token("job", "--force-refresh").isEmpty)
      #expect(try session.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `are never replaced by a rename`() throws {
    try Session.with { session in
      try session.tree.signIn("home", at: session.issuer.url)
      let result = try session.tree.agent("account", "rename", "work", "home", "--json")
      #expect(result.failed(1))
      #expect(result.failureCode == "account_exists")
      #expect(try session.tree.token("work") != session.tree.token("home"))
    }
  }

  @Test func `keep those waiting who ask while they are renamed`() throws {
    try Session.with { session in
      try session.issuer.control("delay_token_ms", "1000")
      let waiting = try session.tree.start(["token", "work", "--force-refresh"])
      try session.tree.awaitEvent("refresh_began", of: "work")
      let renamed = try session.tree.agent("account", "rename", "work", "job")
      #expect(renamed.succeeded, "\(renamed.errorText)")
      #expect(try waiting.wait() == .exited(0), "\(waiting.errorText)")
      #expect(try !session.tree.token("job").isEmpty)
    }
  }

  // RFC 9700 section 4.14.2.
  @Test func `keep their session when their settings change during a refresh`() throws {
    try Session.with { session in
      // The next daemon has no token, so the command must refresh.
      try session.tree.stopDaemon()
      _ = try session.tree.json("daemon", "start")
      try session.issuer.control("delay_token_ms", "1000")
      let waiting = try session.tree.start(["token", "work"])
      try session.tree.awaitEvent("refresh_began", of: "work")
      let changed = try session.tree.agent("account", "set", "work", "--host", "api.example.com")
      #expect(changed.succeeded, "\(changed.errorText)")
      #expect(try waiting.wait() == .exited(0), "\(waiting.errorText)")
      #expect(try !session.tree.token("work", "--force-refresh").isEmpty)
      #expect(try session.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `are removed with their tokens; another becomes the active one`() throws {
    try Session.with { session in
      try session.tree.signIn("home", at: session.issuer.url)
      #expect(
        try session.tree.json("account", "remove", "work")
          == ["account": "work", "revoked": true, "active_account": "home"])
      #expect(try session.issuer.count("revocations") >= 1)
      #expect(try session.tree.agent("token", "work").failed(3))
      #expect(try session.tree.json("list")["accounts"]?.array?.count == 1)
      let asked = try session.issuer.requests()
      let local = try session.tree.agent("account", "remove", "home", "--local")
      #expect(local.succeeded)
      #expect(try session.issuer.requests() == asked)
      #expect(try session.tree.json("list")["accounts"] == [])
    }
  }

  @Test func `that is removed while the server is silent is told to it by the next daemon`() throws {
    try Session.with { session in
      let tree = session.tree
      let removed = try session.issuer.silent { try tree.agent("account", "remove", "work") }
      #expect(removed.succeeded && removed.errorText.contains("retried for a day"), "\(removed.errorText)")
      #expect(try tree.json("list")["accounts"] == [])
      try tree.stopDaemon()
      _ = try tree.json("daemon", "start")
      try tree.awaitEvent("signed_out", of: "work")
      #expect(try tree.events().contains { $0["result"]?.string == "revoked" })
      try tree.stopDaemon()
      let again = try tree.agent("logout", "work")
      #expect(!again.succeeded, "nothing is left of it")
    }
  }

  @Test func `is shown by use, and changed by it to the one before or on a terminal to a number`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.signIn("home", at: session.issuer.url)
      let none = try tree.agent("use", "-")
      #expect(none.failed(2) && none.errorText.hasPrefix("agent: error: no other account was"), "\(none.errorText)")
      #expect(try tree.agent("use").outputText == "work\n")
      #expect(try tree.json("use") == ["account": "work"])
      func choose(_ answer: String) throws -> [String] {
        let program = try WatchedProgram(tree, columns: 100, ["NO_COLOR": "1"], [Programs.path("agent"), "use"])
        let rows = try program.until("Number or name of the account to use").rows
        if !answer.isEmpty { try program.type(answer) }
        try program.type("^M")
        #expect(try program.end().status == 0)
        return rows
      }
      let rows = try choose("2")
      #expect(rows.contains { $0.hasPrefix("*  1  work  ") }, "\(rows)")
      #expect(rows.contains { $0.hasPrefix("   2  home  ") }, "\(rows)")
      #expect(try tree.agent("use").outputText == "home\n")
      #expect(try choose("").contains { $0.hasPrefix("*  2  home  ") })
      let program = try WatchedProgram(tree, columns: 100, ["NO_COLOR": "1"], [Programs.path("agent"), "use"])
      try program.until("Number or name of the account to use")
      try program.type("3\r")
      try program.until("choose a number from 1 to 2")
      try program.type("hom\r")
      try program.until("did you mean \"home\"?")
      try program.type("^M")
      #expect(try program.end().status == 0)
      #expect(try tree.agent("use").outputText == "home\n")
      try tree.stopDaemon()
      #expect(try tree.agent("use", "-").errorText == "agent: work is now the active account\n")
      #expect(try tree.agent("use", "-").errorText == "agent: home is now the active account\n")
      _ = try choose("work")
      #expect(try tree.agent("use").outputText == "work\n")
    }
  }
}
