import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Access tokens` {
  @Test func `a cached token costs the server nothing`() throws {
    try Session.with { session in
      let before = try session.issuer.requests()
      let first = try session.tree.token()
      for _ in 0..<5 { #expect(try session.tree.token() == first) }
      #expect(try session.issuer.requests() == before)
    }
  }

  @Test func `the token opens the protected resource`() throws {
    try Session.with { session in
      let script = "agent token work --header | curl -qsS --fail --noproxy '*' -H @- \(session.issuer.url)/resource"
      let result = try session.tree.shell("dash", script)
      #expect(try JSON(parsing: result.output)["subject"] == session.events.last?["subject"])
      #expect(try session.issuer.count("resource") == 1)
    }
  }

  @Test func `the JSON form has what goes with the token`() throws {
    try Session.with { session in
      let answer = try session.tree.json("token", "work")
      #expect(answer.object?.names == ["account", "issuer", "access_token", "token_type", "scope", "expires_at"])
      #expect(answer["access_token"] == .string(try session.tree.token()))
      #expect(answer["token_type"] == "Bearer")
      #expect(answer["expires_at"] == session.events.last?["expires_at"])
    }
  }

  @Test func `commands without a name mean the active account`() throws {
    try Session.with { session in
      try session.tree.signIn("home", at: session.issuer.url)
      let (work, home) = (try session.tree.token("work"), try session.tree.token("home"))
      #expect(try session.tree.agent("token").outputText == work + "\n")
      #expect(try session.tree.agent("use", "home").succeeded)
      #expect(try session.tree.agent("token").outputText == home + "\n")
      #expect(try session.tree.agent(["token"], ["AGENT_ACCOUNT": "work"]).outputText == work + "\n")
      let listed = try #require(try session.tree.json("list")["accounts"]?.array)
      #expect(listed.map { $0["name"] } == ["work", "home"])
      #expect(listed.map { $0["active"] } == [false, true])
    }
  }

  @Test func `a stopped daemon has forgotten the token, and gets a new one without a question`() throws {
    try Session.with { session in
      let first = try session.tree.token()
      try session.tree.stopDaemon()
      let second = try session.tree.agent("token", "work", "--no-input")
      #expect(second.succeeded, "\(second.errorText)")
      #expect(second.errorText.isEmpty)
      #expect(second.outputText != first + "\n")
      #expect(try session.issuer.count("refreshes") == 1)
      #expect(try session.issuer.count("device_authorizations") == 1)
    }
  }

  @Test func `each refresh token is spent once`() throws {
    try Session.with { session in
      var seen: Set<String> = []
      for _ in 0..<20 { seen.insert(try session.tree.token("work", "--force-refresh")) }
      #expect(seen.count == 20)
      // RFC 9700 section 4.14.2: a reused refresh token ends the grant.
      #expect(try session.issuer.count("refreshes") == 20)
      #expect(try session.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `a daemon that was killed loses no session`() throws {
    try Session.with { session in
      for round in 1...3 {
        _ = try session.tree.token("work", "--force-refresh")
        let daemon = try session.tree.daemon()
        try session.tree.killDaemon()
        #expect(try session.tree.directory.open("runtime/agent").exists("agent.sock"))
        #expect(try !session.tree.token().isEmpty)
        #expect(try session.tree.daemon() != daemon)
        #expect(try session.issuer.count("refreshes") == 2 * round)
      }
      #expect(try session.issuer.count("reuse_detected") == 0)
    }
  }

  @Test func `an expired token is renewed before one is handed out`() throws {
    try Session.with("--access-token-lifetime", "2") { session in
      let first = try session.tree.token()
      try session.waitUntilExpired()
      let before = try session.issuer.count("refreshes")
      try session.issuer.control("access_token_lifetime", "3600")
      let second = try session.tree.token()
      #expect(second != first)
      #expect(try session.tree.token() == second)
      #expect(try session.issuer.count("refreshes") == before + 1)
    }
  }

  @Test func `a token that cannot be good for long enough is no reason to refresh`() throws {
    try Session.with("--access-token-lifetime", "100") { session in
      let token = try session.tree.token()
      #expect(try session.tree.token("work", "--min-valid", "10s") == token)
      let tooLong = try session.tree.agent("token", "work", "--min-valid", "101s", "--json")
      #expect(tooLong.failed(1))
      #expect(tooLong.failureCode == "lifetime_too_short")
      #expect(try session.issuer.count("refreshes") == 0)
    }
  }

  @Test func `a session that the server ended asks for a sign-in`() throws {
    try Session.with { session in
      try session.issuer.control("revoke_all", "1")
      // RFC 6749 section 5.2: only invalid_grant ends a grant.
      let result = try session.tree.agent("token", "work", "--force-refresh")
      #expect(result.failed(3))
      #expect(result.errorText.contains("agent: error: work: session expired, please sign in again"))
      #expect(result.errorText.contains("agent: hint: agent login work\n"))
      let asked = try session.issuer.requests()
      let again = try session.tree.agent("token", "work", "--json")
      #expect(again.failed(3))
      #expect(again.failureCode == "session_expired")
      try session.tree.stopDaemon()
      #expect(try session.tree.agent("token", "work", "--json").failureCode == "session_expired")
      #expect(try session.issuer.requests() == asked, "a dead grant is not tried again")
      #expect(try session.tree.json("status")["accounts"]?.array?.first?["state"] == "expired")
      try session.tree.signIn(at: session.issuer.url)
      #expect(try !session.tree.token().isEmpty)
    }
  }

  @Test func `a server that is down is a passing failure`() throws {
    try Session.with { session in
      let token = try session.tree.token()
      session.issuer.stop()
      let result = try session.tree.agent("token", "work", "--force-refresh", "--json")
      #expect(result.failed(4))
      #expect(result.failureCode == "network")
      #expect(try session.tree.token() == token, "a good token is served as it is")
    }
  }

  // RFC 6750 section 3.1.
  @Test func `a token that UserInfo refuses is renewed once, and no more than once`() throws {
    try Session.with { session in
      // Without an ID Token only UserInfo identifies the user.
      try session.issuer.control("id_token", "off")
      try session.tree.signIn("other", at: session.issuer.url)
      let before = try session.issuer.count("refreshes")
      try session.issuer.control("fail_next_userinfo", "1", ("status", "401"))
      #expect(try session.tree.json("whoami", "other")["subject"] == "user-alice")
      #expect(try session.issuer.count("refreshes") == before + 1)
      try session.issuer.control("fail_next_userinfo", "2", ("status", "401"))
      #expect(try session.tree.agent("whoami", "other", "--json").failureCode == "server_rejected")
      #expect(try session.issuer.count("refreshes") == before + 2)
    }
  }

  @Test func `passing failures are tried again, three times in all`() throws {
    try Session.with { session in
      try session.issuer.control("fail_next_token", "2", ("status", "503"))
      #expect(try !session.tree.token("work", "--force-refresh").isEmpty)
      try session.issuer.control("fail_next_token", "3", ("status", "503"))
      let result = try session.tree.agent("token", "work", "--force-refresh", "--json")
      #expect(result.failed(4))
      #expect(result.failureCode == "server_unavailable")
      #expect(try session.issuer.count("refreshes") == 1)
      #expect(try !session.tree.token("work", "--force-refresh").isEmpty)
    }
  }

  @Test func `a token without a lifetime is served as it is`() throws {
    try Session.with("--access-token-lifetime", "0") { session in
      #expect(session.events.last?["expires_at"] == nil)
      let token = try session.tree.token()
      #expect(try session.tree.token() == token)
      #expect(try session.tree.json("token", "work")["expires_at"] == nil)
      #expect(try session.issuer.count("refreshes") == 0)
    }
  }

  @Test func `without a refresh token the session ends with the daemon`() throws {
    try Session.with("--no-refresh-token") { session in
      #expect(session.events.contains { $0["event"] == "notice" })
      #expect(try !session.tree.token().isEmpty)
      try session.tree.stopDaemon()
      #expect(try session.tree.agent("token", "work").failed(3))
    }
  }

  @Test func `a command without a daemon leaves none behind`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url, "--no-daemon")
        let first = try tree.token("work", "--no-daemon")
        #expect(try tree.token("work", "--no-daemon") != first)
        #expect(try issuer.count("refreshes") == 2)
        #expect(try tree.daemons() == [])
        #expect(try !tree.directory.open("runtime").exists("agent"))
      }
    }
  }
}
