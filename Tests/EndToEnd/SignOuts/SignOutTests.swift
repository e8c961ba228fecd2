import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Sign-out` {
  @Test func `the server revokes the tokens and nothing is left here`() throws {
    try Session.with { session in
      let token = try session.tree.token()
      let result = try session.tree.json("logout", "work")
      #expect(result == ["accounts": [["account": "work", "revoked": true]]])
      // RFC 7009 section 2.1.
      #expect(try session.issuer.count("revocations") >= 1)
      let resource = try session.tree.shell(
        "dash",
        "echo \"Authorization: Bearer $T\" | curl -qsS --noproxy '*' -o /dev/null -w '%{http_code}' -H @- "
          + "\(session.issuer.url)/resource", ["T": token])
      #expect(resource.outputText == "401")
      let after = try session.tree.agent("token", "work")
      #expect(after.failed(3))
      #expect(after.errorText == "agent: error: work is signed out\nagent: hint: agent login work\n")
      #expect(try session.tree.json("status")["accounts"]?.array?.first?["state"] == "signed_out")
    }
  }

  @Test func `it stays signed out after a restart, and its settings are kept`() throws {
    try Session.with { session in
      #expect(try session.tree.agent("logout", "work").succeeded)
      try session.tree.stopDaemon()
      let asked = try session.issuer.requests()
      #expect(try session.tree.agent("token", "work").failed(3))
      #expect(try session.issuer.requests() == asked)
      #expect(try session.tree.agent("login", "work").succeeded)
      #expect(try !session.tree.token().isEmpty)
    }
  }

  @Test func `a local sign-out asks the server nothing`() throws {
    try Session.with { session in
      let asked = try session.issuer.requests()
      let result = try session.tree.json("logout", "work", "--local")
      #expect(result["accounts"]?.array?.first?["revoked"] == false)
      #expect(try session.issuer.requests() == asked)
      #expect(try session.tree.agent("token", "work").failed(3))
    }
  }

  @Test func `it works while the server is down, and says what that means`() throws {
    try Session.with { session in
      session.issuer.stop()
      let result = try session.tree.agent("logout", "work")
      #expect(result.succeeded)
      let told = "signed out of work; tokens not revoked: the server may still accept the tokens"
      #expect(result.errorText.contains(told), "\(result.errorText)")
      #expect(try session.tree.agent("token", "work").failed(3))
    }
  }

  // OpenID Connect RP-Initiated Logout 1.0 section 2.
  @Test func `the page that ends the browser's session is told, and no token is in its address`() throws {
    try Session.with { session in
      let idToken = try session.tree.token("work", "--id-token")
      let result = try session.tree.json("logout", "work", "--browser")
      let account = try #require(result["accounts"]?.array?.first)
      #expect(account["revoked"] == true)
      let url = try #require(account["end_session_url"]?.string)
      #expect(url.hasPrefix(session.issuer.url + "/end_session?client_id=agent-cli&logout_hint="))
      #expect(!url.contains(idToken.prefix(20)))
      let page = try session.tree.shell("dash", "curl -qsS --noproxy '*' -w '%{http_code}' -o /dev/null '\(url)'")
      #expect(page.outputText == "200")
    }
  }

  @Test func `that page is opened in the browser, or shown where there is none`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.directory.writeProgram("home/browser", "echo \"$1\" > \"$HOME/opened\"")
      let opened = try tree.agent(["logout", "work", "--browser"], ["BROWSER": tree.path("home/browser")])
      #expect(
        opened.succeeded && opened.errorText.contains("signed out of work, tokens revoked"), "\(opened.errorText)")
      #expect(opened.errorText.contains("opening the server's sign-out page"), "\(opened.errorText)")
      let page = session.issuer.url + "/end_session?client_id=agent-cli&logout_hint="
      let shows = "until test -s \"$HOME/opened\"; do sleep 0.05; done; cat \"$HOME/opened\""
      #expect(try tree.shell("dash", shows).outputText.hasPrefix(page))
      #expect(try tree.agent("login", "work").succeeded)
      let shown = try tree.agent(["logout", "work", "--browser", "--no-open"], ["BROWSER": tree.path("home/browser")])
      #expect(shown.succeeded && shown.errorText.contains("\n\(page)"), "\(shown.errorText)")
      #expect(try tree.agent("logout", "work", "--browser", "--local").failed(2))
    }
  }

  @Test func `what is kept of the server goes too, unless another account is there`() throws {
    try Session.with { (session) throws in
      let tree = session.tree
      func documents() throws -> [String] { try tree.directory.open("cache/agent").fileNames() }
      try tree.signIn("home", at: session.issuer.url)
      #expect(try documents().contains { $0.hasPrefix("metadata-") })
      #expect(try documents().contains { $0.hasPrefix("keys-") })
      try #require(try tree.agent("logout", "work").succeeded)
      #expect(try documents().count == 2)
      try #require(try tree.agent("logout", "--all").succeeded)
      #expect(try documents() == [])
    }
  }

  @Test func `a request that waits for a token ends, and the refresh under way brings none`() throws {
    try Session.with { (session) throws in
      let tree = session.tree
      try session.issuer.control("hang", "token")
      let refreshes = try session.issuer.count("refreshes")
      let waiting = try tree.start(["token", "work", "--force-refresh"])
      // The refresh locks the account, so the sign-out runs after it and revokes its token.
      try tree.awaitEvent("refresh_began", of: "work")
      let logout = try tree.start(["logout", "work", "--json"])
      #expect(try waiting.wait() == .exited(3))
      try session.issuer.control("hang", "off")
      #expect(try JSON(parsing: Array(logout.readLine().utf8))["accounts"]?.array?.first?["revoked"] == true)
      #expect(try session.issuer.count("refreshes") == refreshes + 1)
      #expect(try session.issuer.count("reuse_detected") == 0)
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  @Test func `a sign-in that is being finished must end first, and then there is a session to end`() throws {
    try Issuer.with(["--open-registration"]) { issuer in
      try AgentTree.with { tree in
        try #require(
          try tree.agent(
            "workload", "work", "--register", "--issuer", issuer.url, "--allow-http-loopback"
          ).succeeded)
        // A sign-in without questions cannot be cancelled.
        try issuer.control("hang", "token")
        let began = try tree.events().count { $0["event"] == "sign_in_began" }
        let login = try tree.start(["workload", "work", "--json"])
        while try tree.events().count(where: { $0["event"] == "sign_in_began" }) == began {
          Threads.sleep(for: .milliseconds(20))
        }
        let refused = try tree.agent("logout", "work", "--json")
        #expect(refused.failureCode == "too_busy", "\(refused)")
        try issuer.control("hang", "off")
        #expect(try login.wait() == .exited(0), "\(login.errorText)")
        #expect(try tree.agent("logout", "work").succeeded)
        #expect(try tree.agent("token", "work").failed(3))
      }
    }
  }

  @Test func `it is on disk before a silent server is told, which is told by the next daemon`() throws {
    try Session.with { (session) throws in
      let (tree, issuer) = (session.tree, session.issuer)
      let revocations = try issuer.count("revocations")
      let vault = "state/agent/" + (try tree.vaultName())
      let before = try tree.directory.read(vault)
      try issuer.silent {
        let logout = try tree.start(["logout", "work"])
        while try tree.directory.read(vault) == before { Threads.sleep(for: .milliseconds(5)) }
        try tree.killDaemon()
        _ = try logout.wait()
        #expect(try tree.agent("token", "work").failed(3))
      }
      try issuer.await("revocations", revocations + 1)
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  @Test func `one that is local waits for no refresh under way, whose token is not kept`() throws {
    try Session.with { (session) throws in
      let tree = session.tree
      try session.issuer.silent {
        let waiting = try tree.start(["token", "work", "--force-refresh"])
        try tree.awaitEvent("refresh_began", of: "work")
        #expect(try tree.json("logout", "work", "--local")["accounts"]?.array?.first?["revoked"] == false)
        #expect(try waiting.wait() == .exited(3), "\(waiting.errorText)")
      }
      try tree.awaitEvent("refresh_ended", of: "work")
      #expect(try tree.agent("token", "work").failed(3))
      try tree.stopDaemon()
      #expect(try tree.agent("token", "work").failed(3))
    }
  }

  @Test func `all accounts end but the locked one, which is told apart`() throws {
    try LockedHome.with { home in
      try home.lock()
      let result = try home.tree.agent("logout", "--all", "--json")
      #expect(result.status == .exited(5), "\(result.errorText)")
      let accounts = try #require(JSON(parsing: Array(result.outputText.utf8))["accounts"]?.array)
      #expect(accounts.first { $0["account"] == "shut" }?["error"]?["code"] == "locked")
      #expect(accounts.count { $0["revoked"] == true } == accounts.count - 1)
      // The procedure for a forgotten passphrase in `agent help unlock`.
      try home.run("logout", "--local", "shut")
      let slots = try home.run("vault", "status", "--json")
      let slot = try #require(
        JSON(parsing: Array(slots.outputText.utf8))["slots"]?.array?.first { $0["protection"] == "passphrase" })
      try home.run("vault", "remove-slot", "\(try #require(slot["slot"]?.int))")
      try home.run("login", "shut", "--protect", "device")
      #expect(try home.tree.agent("token", "shut").succeeded)
    }
  }

  @Test func `all accounts end together`() throws {
    try Session.with { session in
      try session.tree.signIn("home", at: session.issuer.url)
      let result = try session.tree.json("logout", "--all")
      #expect(result["accounts"]?.array?.count == 2)
      for account in ["work", "home"] { #expect(try session.tree.agent("token", account).failed(3)) }
    }
  }

  @Test func `a second sign-out has nothing to do`() throws {
    try Session.with { session in
      #expect(try session.tree.agent("logout", "work").succeeded)
      let asked = try session.issuer.requests()
      #expect(try session.tree.json("logout", "work")["accounts"]?.array?.first?["revoked"] == false)
      #expect(try session.issuer.requests() == asked)
    }
  }
}
