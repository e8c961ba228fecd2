import Encoding
import TestSupport
import Testing

/// At a server that returns an ID Token at the sign-in but none at a refresh (OpenID Connect Core, section 12.2).
@Suite(.needsPrograms) struct `Who is signed in` {
  private func check(_ tree: AgentTree, _ account: String, _ idToken: String) throws {
    let token = try tree.agent("token", account, "--id-token")
    #expect(token.outputText == idToken, "\(token.errorText)")
    let variables = try tree.agent("env", account, "--var", "ROLE=claim:role")
    #expect(variables.outputText.contains("admin"), "\(variables.errorText)")
    let result = try tree.agent("exec", account, "--var", "ROLE=claim:role", "--", "printenv", "ROLE")
    #expect(result.outputText == "admin\n", "\(result.errorText)")
  }

  @Test func `is known after a restart, and needs no network`() throws {
    try Issuer.with(["--claim", "role=admin"]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url)
        try issuer.control("id_token", "off")
        let idToken = try tree.agent("token", "work", "--id-token").outputText
        try #require(!idToken.isEmpty)
        try #require(tree.agent("daemon", "stop").succeeded)
        let identity = try tree.json("whoami", "work")
        #expect(identity["source"] == "id_token" && identity["claims"]?["role"] == "admin")
        #expect(try issuer.count("refreshes") == 0)
        try check(tree, "work", idToken)
        #expect(try issuer.count("refreshes") == 1)
        try #require(tree.agent("token", "work", "--force-refresh").succeeded)
        try check(tree, "work", idToken)
      }
    }
  }

  @Test func `is known after a lock, and by nobody while it lasts`() throws {
    try LockedHome.with("--claim", "role=admin") { home in
      try home.issuer.control("id_token", "off")
      let idToken = try home.run("token", "shut", "--id-token").outputText
      try home.lock()
      #expect(try home.tree.agent("whoami", "shut", "--json").failureCode == "locked")
      try home.unlock()
      try check(home.tree, "shut", idToken)
    }
  }

  @Test func `is forgotten at the sign-out`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url)
        #expect(try tree.agent("whoami", "work").succeeded)
        try #require(tree.agent("logout", "work").succeeded)
        #expect(try tree.agent("whoami", "work").failed(3))
      }
    }
  }

  @Test func `is marked where only the UserInfo endpoint says it`() throws {
    try Issuer.with(["--claim", "name=Alice"]) { issuer in
      try AgentTree.with { tree in
        try issuer.control("id_token", "off")
        try tree.signIn(at: issuer.url)
        #expect(try tree.json("whoami", "work")["source"] == "userinfo")
        #expect(try tree.agent("whoami", "work").outputText.contains("userinfo (not verified)"))
      }
    }
  }
}
