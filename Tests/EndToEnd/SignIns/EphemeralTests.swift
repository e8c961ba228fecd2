import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `An ephemeral account` {
  private static func with(_ options: [String] = [], _ body: (AgentTree, Issuer) throws -> Void) throws {
    try Issuer.with(options) { issuer in
      try AgentTree.with { tree in
        try tree.signIn("passing", at: issuer.url, "--ephemeral", "--scope", "openid email offline_access")
        try body(tree, issuer)
      }
    }
  }

  /// Files with the account's name, user or issuer in their content or names.
  private static func traces(_ tree: AgentTree, _ issuer: Issuer) throws -> [String] {
    let folders = ["config", "state"].map(tree.path)
    let text = try ProcessRunner.run(
      executable: "/bin/grep",
      arguments: ["-r", "-l", "-a", "-e", "passing", "-e", "@example", "-e", issuer.url] + folders)
    let names = try ProcessRunner.run(
      executable: "/usr/bin/find", arguments: folders + ["-name", "*passing*", "-o", "-name", "vault.*"])
    return (text.lines + names.lines).map(String.init)
  }

  @Test func `hands out tokens, is renewed, and leaves no trace in a file`() throws {
    try Self.with { tree, issuer in
      let first = try tree.token("passing")
      #expect(try tree.token("passing", "--force-refresh") != first)
      #expect(try issuer.count("refreshes") == 1)
      #expect(try tree.agent("token").succeeded, "it is the active one, as there is no other")
      #expect(try tree.agent("env", "--var", "EMAIL=claim:email", "passing").outputText.contains("example"))
      #expect(try tree.json("whoami", "passing")["source"] == "id_token")
      let account = try #require(try tree.json("status")["accounts"]?.array?.first)
      #expect(account["ephemeral"] == true && account["state"] == "active" && account["person"] != nil)
      #expect(try tree.agent("status").outputText.contains("in memory only: ends with the daemon"))
      #expect(try Self.traces(tree, issuer) == [])
    }
  }

  @Test func `is gone after a sign-out, which the server is told of, and with the daemon`() throws {
    try Self.with { tree, issuer in
      let out = try tree.agent("logout", "passing")
      #expect(out.succeeded && out.errorText.contains("signed out of passing, tokens revoked"), "\(out.errorText)")
      #expect(try issuer.count("revocations") > 0)
      #expect(try tree.json("list")["accounts"]?.array?.isEmpty == true)
      try tree.signIn("passing", at: issuer.url, "--ephemeral")
      try tree.stopDaemon()
      #expect(try tree.agent("token", "passing").failed(3))
      #expect(try tree.json("list")["accounts"]?.array?.isEmpty == true)
      #expect(try Self.traces(tree, issuer) == [])
    }
  }

  @Test func `is revoked when the daemon stops, if the server did not hear of its sign-out`() throws {
    try Self.with { tree, issuer in
      let out = try issuer.silent { try tree.agent("logout", "passing") }
      #expect(out.succeeded && out.errorText.contains("retried for a day"), "\(out.errorText)")
      // The issuer reads the request that was given up.
      try issuer.await("revocations", 1)
      try tree.stopDaemon()
      #expect(try issuer.count("revocations") > 1)
      #expect(try Self.traces(tree, issuer) == [])
    }
  }

  @Test func `expires as any other, and can be signed in to again`() throws {
    try Self.with { tree, issuer in
      try issuer.control("revoke_all", "1")
      let expired = try tree.agent("token", "passing", "--force-refresh")
      #expect(expired.failed(3) && expired.errorText.contains("passing: session expired"), "\(expired.errorText)")
      try tree.signIn("passing", at: issuer.url, "--ephemeral")
      #expect(try !tree.token("passing").isEmpty)
      #expect(try Self.traces(tree, issuer) == [])
    }
  }

  @Test func `is the active one if that is chosen, for as long as it lives`() throws {
    try Self.with { tree, issuer in
      try tree.signIn("lasting", at: issuer.url)
      func active() throws -> String? {
        try tree.json("list")["accounts"]?.array?.first { $0["active"] == true }?["name"]?.string
      }
      #expect(try tree.agent("use", "lasting").succeeded)
      #expect(try active() == "lasting")
      #expect(try tree.agent("use", "passing").succeeded)
      #expect(try active() == "passing")
      for name in ["lasting", "passing"] {
        #expect(try tree.agent("use", "-").errorText == "agent: \(name) is now the active account\n")
        #expect(try active() == name)
      }
      try tree.signIn("chosen", at: issuer.url, "--ephemeral")
      #expect(try tree.agent("use", "chosen").succeeded)
      #expect(try active() == "chosen")
      #expect(try tree.json("token")["account"] == "chosen")
      #expect(try tree.agent("logout", "chosen").succeeded)
      #expect(try active() == "lasting")
      #expect(try tree.agent("use", "passing").succeeded)
      try tree.stopDaemon()
      #expect(try active() == "lasting")
    }
  }

  @Test func `is not written down by a change, and is kept apart from the accounts of the settings`() throws {
    try Self.with { tree, issuer in
      for change in [
        ["account", "set", "passing", "--scope", "openid"],
        ["account", "rename", "passing", "other"],
      ] {
        let refused = try tree.agent(change)
        #expect(
          refused.failed(2) && refused.errorText.contains("passing is ephemeral"), "\(change): \(refused.errorText)")
      }
      let stored = [
        "login", "passing", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
      ]
      #expect(try tree.agent(stored).failed(1))
      for other in [["--keep"], ["--register"], ["--protect", "passphrase"]] {
        #expect(try tree.agent(["login", "new", "--issuer", issuer.url, "--ephemeral"] + other).failed(2), "\(other)")
      }
      try tree.signIn("lasting", at: issuer.url)
      let taken = try tree.agent(["login", "lasting", "--ephemeral", "--device"])
      #expect(taken.failed(1) && taken.errorText.contains("already"), "\(taken.errorText)")
      #expect(try tree.json("list")["accounts"]?.array?.count == 2)
      #expect(try tree.agent("account", "remove", "passing").succeeded)
      try tree.stopDaemon()
      #expect(try tree.json("list")["accounts"]?.array?.compactMap { $0["name"]?.string } == ["lasting"])
    }
  }
}
