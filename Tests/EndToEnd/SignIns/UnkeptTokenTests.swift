import Encoding
import TestSupport
import Testing

/// Such a session is only an access token, as of GitHub's OAuth apps.
@Suite(.needsPrograms) struct `A token without an end, and without a refresh token` {
  private static func atIssuer(_ body: (AgentTree, Issuer) throws -> Void) throws {
    try Issuer.with(["--access-token-lifetime", "0", "--no-refresh-token"]) { issuer in
      try AgentTree.with { tree in try body(tree, issuer) }
    }
  }

  private static let question = "so that work stays signed in? [y/N]"

  /// Signs in on a terminal, where `answer` is typed if the user is asked.
  private static func signIn(
    _ tree: AgentTree, _ issuer: Issuer, _ options: [String] = [], answer: String?
  ) throws -> String {
    let line = [
      "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
    ]
    let program = try WatchedProgram(
      tree, columns: 200, ["AGENT_QR_CODE": "never"], [Programs.path("agent")] + tree.prepared(line + options))
    if let answer {
      try program.until(question)
      try program.type(answer + "\r")
    }
    let end = try program.end()
    #expect(end.status == 0 && end.raw.contains("signed in to \(issuer.url)"), "\(end.rows)")
    #expect(end.raw.contains(question) == (answer != nil))
    return end.raw
  }

  @Test(arguments: [(["yes"], []), (["maybe\ry"], []), ([], ["--keep"])]) func `is kept if the user says so`(
    answer: [String], options: [String]
  ) throws {
    try Self.atIssuer { tree, issuer in
      _ = try Self.signIn(tree, issuer, options, answer: answer.first)
      let token = try tree.token()
      try tree.stopDaemon()
      #expect(try tree.token() == token)
      #expect(try tree.json("account", "show", "work")["settings"]?["keep"] == true)
    }
  }

  @Test(arguments: [([""], []), (["no"], []), ([], ["--no-input"]), ([], ["--no-keep"])])
  func `is otherwise lost with the daemon, and the account is then not called expired`(
    answer: [String], options: [String]
  ) throws {
    try Self.atIssuer { tree, issuer in
      let output = try Self.signIn(tree, issuer, options, answer: answer.first)
      let advice = "to keep the access token in the vault: agent account set work --keep"
      #expect(output.contains(advice) == (options != ["--no-keep"]))
      #expect(try !tree.token().isEmpty)
      try tree.stopDaemon()
      let token = try tree.agent("token")
      #expect(token.failed(3))
      #expect(
        token.errorText
          == "agent: error: the access token of work was not stored and is lost; --keep stores the next one\n"
          + "agent: hint: agent login work --keep\n")
      #expect(try tree.json("list")["accounts"]?.array?.first?["state"] == "not_kept")
      #expect(try tree.json("status", "work")["accounts"]?.array?.first?["state"] == "not_kept")
      let others = try [["list"], ["status"], ["status", "work"], ["doctor"], ["env", "--hook", "bash"]].map {
        let result = try tree.agent($0)
        return result.outputText + result.errorText
      }
      #expect(others[..<3].allSatisfy { $0.contains("not kept") })
      #expect(others.allSatisfy { !$0.contains("expired") && !$0.contains("ended") }, "\(others)")
    }
  }

  @Test func `is stored by account set while it is in memory, and not by --no-keep`() throws {
    try Self.atIssuer { tree, issuer in
      let events = try tree.signIn(at: issuer.url)
      #expect(events.last?["not_kept"] == true && events.last?["renews"] == nil)
      let token = try tree.token()
      #expect(try tree.agent("account", "set", "work", "--keep").errorText == "agent: changed work\n")
      try tree.stopDaemon()
      #expect(try tree.token() == token)
      #expect(try tree.agent("login", "work", "--device", "--keep", "--no-keep").failed(2))
      #expect(try tree.agent("login", "work", "--device", "--no-keep").succeeded)
      #expect(try tree.json("account", "show", "work")["settings"]?["keep"] == nil)
      try tree.stopDaemon()
      #expect(try tree.agent("token").failed(3))
    }
  }

  @Test func `is replaced by login --ended once it is lost`() throws {
    try Self.atIssuer { tree, issuer in
      try tree.signIn(at: issuer.url)
      try tree.stopDaemon()
      #expect(try tree.agent("login", "--ended", "--device").succeeded)
      #expect(try !tree.token().isEmpty)
    }
  }

  @Test func `is not called signed out when a command offers a sign-in`() throws {
    try Self.atIssuer { tree, issuer in
      _ = try Self.signIn(tree, issuer, answer: "no")
      try tree.stopDaemon()
      let program = try WatchedProgram(tree, columns: 200, [:], [Programs.path("agent"), "token"])
      try program.until(
        "the access token of work was not stored and is lost; --keep stores the next one. Sign in now? [Y/n]")
      try program.type("n\r")
      #expect(try program.end().status == 3)
    }
  }
}
