import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The variables of an account` {
  private static let names = ["--var", "GITHUB_TOKEN=access_token", "--var", "PERSON=claim:sub"]

  @Test func `are what env and exec set, unless the command line names others`() throws {
    try Session.with { session in
      let tree = session.tree
      #expect(try tree.agent(["account", "set", "work"] + Self.names).succeeded)
      let token = try tree.token()
      let subject = try #require(try tree.json("whoami")["subject"]?.string)
      let script = #"eval "$(agent env)"; echo "$GITHUB_TOKEN|$PERSON|${AGENT_ACCESS_TOKEN-none}""#
      #expect(try tree.shell("sh", script).outputText == "\(token)|\(subject)|none\n")
      let show = #"echo "$GITHUB_TOKEN|$PERSON|${AGENT_ACCESS_TOKEN-none}""#
      #expect(try tree.agent("exec", "--", "sh", "-c", show).outputText == "\(token)|\(subject)|none\n")
      let named = try tree.agent("exec", "--var", "T=access_token", "--", "sh", "-c", #"echo "$T|${PERSON-none}""#)
      #expect(named.outputText == "\(token)|none\n")
      let json = try JSON(parsing: tree.agent("env", "--json").output)
      #expect(json.object?.names == ["GITHUB_TOKEN", "PERSON"])
      #expect(try tree.agent("env", "--unset").outputText == "unset GITHUB_TOKEN;\nunset PERSON;\n")
      let file = try tree.agent(
        "exec", "--token-file", "--", "sh", "-c", #"echo "$GITHUB_TOKEN|$(cat "$AGENT_TOKEN_FILE")""#)
      #expect(file.outputText == "\(token)|\(token)\n")
      #expect(try tree.agent("account", "show").outputText.contains("GITHUB_TOKEN=access_token PERSON=claim:sub"))
      #expect(try tree.agent("account", "set", "work", "--unset", "var").succeeded)
      #expect(try tree.shell("sh", script).outputText == "||\(token)\n")
    }
  }

  @Test func `are named at the sign-in too, and hold no name that decides what programs run`() throws {
    try Issuer.with([]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn("work", at: issuer.url, "--var", "API=access_token")
        let api = try tree.shell("sh", #"eval "$(agent env)"; echo "$API""#)
        #expect(try api.outputText == tree.token() + "\n", "\(api.errorText)")
        for name in ["LD_PRELOAD=claim:sub", "PATH=access_token", "A=nothing", "A", "T=token_file", "1A=subject"] {
          let refused = try tree.agent("account", "set", "work", "--var", name)
          #expect(refused.failed(2), "\(name): \(refused.errorText)")
        }
        // An attacker who edits the settings gains nothing.
        let text = try tree.directory.readText("config/agent/config.json")
        try tree.directory.write(
          "config/agent/config.json", text.replacing("API=access_token", with: "LD_PRELOAD=access_token"))
        let refused = try tree.agent("env")
        #expect(refused.status == .exited(2) && refused.errorText.contains("LD_PRELOAD"), "\(refused.errorText)")
        let exec = try tree.agent("exec", "--", "env")
        #expect(exec.failed(2) && exec.outputText.isEmpty)
      }
    }
  }
}

@Suite(.needsPrograms) struct `The validity of a token in a variable` {
  @Test(arguments: [
    ["env", "--json"], ["exec", "--", "sh", "-c", #"echo "{\"AGENT_ACCESS_TOKEN\":\"$AGENT_ACCESS_TOKEN\"}""#],
  ])
  func `is what --min-valid says`(command: [String]) throws {
    try Session.with("--access-token-lifetime", "600") { session in
      let tree = session.tree
      func token(_ options: String...) throws -> String? {
        let answer = try tree.agent([command[0]] + options + command.dropFirst())
        return try JSON(parsing: answer.output)["AGENT_ACCESS_TOKEN"]?.string
      }
      let first = try tree.token()
      #expect(try token("--min-valid", "5m") == first)
      Threads.sleep(for: .milliseconds(1100))
      let second = try token("--min-valid", "599s")
      #expect(second != first && second != nil)
      #expect(try tree.agent([command[0], "--min-valid", "25h"] + command.dropFirst()).status == .exited(2))
    }
  }

  @Test func `may be waited for`() throws {
    try Session.with("--access-token-lifetime", "2") { session in
      let (tree, issuer) = (session.tree, session.issuer)
      try session.waitUntilExpired()
      try issuer.control("fail_next_token", "4", ("status", "503"))
      #expect(try tree.agent("env", "--wait", "60s", "--json").succeeded)
      #expect(try tree.agent("exec", "--wait", "60s", "--", "true").succeeded)
    }
  }

  // RFC 6749, section 5.1: the server may omit the lifetime.
  @Test func `that nobody told is that of its age, and is said to be unknown`() throws {
    try Session.with("--access-token-lifetime", "0") { session in
      let (tree, issuer) = (session.tree, session.issuer)
      let first = try tree.token()
      let young = try tree.agent("token", "--min-valid", "1h")
      #expect(young.outputText == first + "\n")
      #expect(young.errorText == "agent: the server does not report how long tokens of work are valid\n")
      Threads.sleep(for: .milliseconds(1100))
      #expect(try tree.token("work", "--min-valid", "1s") != first, "it is older than that, so it is renewed")
      #expect(try issuer.count("refreshes") == 1)
      #expect(try tree.agent("token").errorText.isEmpty)
    }
  }
}
