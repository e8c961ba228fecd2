import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The person of an account` {
  private static let scope = ["--scope", "openid email offline_access"]

  private static func with(_ body: (AgentTree, Issuer) throws -> Void) throws {
    try Issuer.with([]) { issuer in
      try AgentTree.with { tree in
        let file = tree.path("home/passphrase")
        try tree.directory.write("home/passphrase", "one long phrase\n")
        try tree.signIn("open", at: issuer.url, "--scope", "openid email offline_access")
        try tree.signIn(
          "bank", at: issuer.url, "--scope", "openid email offline_access", "--protect", "passphrase",
          "--passphrase-file", file)
        try body(tree, issuer)
      }
    }
  }

  @Test func `is shown beside it, also while it is locked and after a restart, and goes with the sign-out`() throws {
    try Self.with { tree, _ in
      let person = try #require(try tree.json("whoami", "open")["claims"]?["email"]?.string)
      #expect(try tree.agent("lock").succeeded)
      for restart in [false, true] {
        if restart { try tree.stopDaemon() }
        for command in ["list", "status"] {
          let rows = try tree.agent(command).lines
          #expect(rows.first?.hasPrefix("   ACCOUNT  PERSON") == true, "\(rows)")
          #expect(rows.contains { $0.hasPrefix("*  open     \(person)") }, "\(rows)")
          #expect(rows.contains { $0.hasPrefix("   bank     \(person)") && $0.contains("  locked  ") }, "\(rows)")
          #expect(try tree.json(command)["accounts"]?.array?.allSatisfy { $0["person"]?.string == person } == true)
        }
      }
      #expect(try tree.agent("status", "bank").outputText.contains("  person      \(person)\n"))
      for account in ["open", "bank"] { #expect(try tree.agent("logout", account, "--local").succeeded) }
      #expect(try !tree.agent("list").outputText.contains(person))
      #expect(try !tree.agent("status", "open").outputText.contains(person))
    }
  }

  @Test(arguments: [40, 100]) func `is shown in a table that fits the screen, where no word is broken`(columns: Int)
    throws
  {
    try Self.with { tree, issuer in
      let person = try #require(try tree.json("whoami", "open")["claims"]?["email"]?.string)
      let program = try WatchedProgram(tree, columns: columns, [:], [Programs.path("agent"), "status"])
      let end = try program.end()
      #expect(end.rows.first?.contains("ACCOUNT") == (columns == 100), "\(end.rows)")
      #expect(end.raw.contains("\u{1B}[32msigned in\u{1B}[0m"), "\(end.raw)")
      let plain = try WatchedProgram(
        tree, columns: columns, ["NO_COLOR": "1"], [Programs.path("agent"), "status"]
      ).end()
      #expect(!plain.raw.contains("\u{1B}"))
      for rows in [end.rows, plain.rows] {
        for words in ["open", "bank", person, "signed in", issuer.url] {
          #expect(rows.contains { $0.contains(words) }, "\(words): \(rows)")
        }
        #expect(rows.allSatisfy { $0.count <= columns })
      }
    }
  }

  @Test func `is in no event, no log and no file in clear`() throws {
    try Self.with { tree, _ in
      let person = try #require(try tree.json("whoami", "open")["claims"]?["email"]?.string)
      #expect(try tree.agent("token", "open", "--force-refresh").succeeded)
      for command in [["events", "--json"], ["daemon", "log", "--json"]] {
        let told = try tree.agent(command)
        #expect(told.succeeded && !told.output.isEmpty && !told.outputText.contains(person), "\(command)")
      }
      let found = try ProcessRunner.run(
        executable: "/bin/grep",
        arguments: ["-r", "-l", "-a", person] + ["config", "state", "cache", "runtime"].map(tree.path))
      #expect(found.outputText.isEmpty)
    }
  }

  @Test func `goes with the account to its new name, and stays when the session expires`() throws {
    try Self.with { tree, issuer in
      let person = try #require(try tree.json("whoami", "open")["claims"]?["email"]?.string)
      #expect(try tree.agent("account", "rename", "open", "home").succeeded)
      #expect(try tree.agent("list").lines.contains { $0.hasPrefix("*  home     \(person)") })
      try issuer.control("revoke_all", "1")
      #expect(try tree.agent("token", "home", "--force-refresh").failed(3))
      let rows = try tree.agent("status").lines
      #expect(rows.contains { $0.hasPrefix("*  home     \(person)  expired") }, "\(rows)")
    }
  }

  @Test func `is known without an option, where the server says that it tells`() throws {
    try Issuer.with([]) { issuer in
      try AgentTree.with { tree in
        let login = try tree.agent(
          "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device")
        #expect(login.errorText.contains("agent: signed in to \(issuer.url) as "), "\(login.errorText)")
        #expect(login.errorText.contains("@example.com (account work, active); the session"), "\(login.errorText)")
        #expect(try tree.agent("list").outputText.contains("@example.com"))
      }
    }
  }

  @Test func `is told by the sign-in, with the account that is the active one`() throws {
    try Issuer.with([]) { issuer in
      try AgentTree.with { tree in
        func login(_ account: String) throws -> String {
          try tree.agent(
            ["login", account, "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device"]
              + Self.scope
          ).errorText
        }
        let first = try login("work")
        #expect(first.contains("agent: signed in to \(issuer.url) as "), "\(first)")
        #expect(first.contains("@example.com (account work, active); the session renews itself\n"), "\(first)")
        let second = try login("private")
        #expect(second.contains(" (account private); "), "\(second)")
        #expect(second.hasSuffix("agent: the active account is still work; to change that: agent use private\n"))
      }
    }
  }
}
