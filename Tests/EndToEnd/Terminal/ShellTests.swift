import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A word in a hint` {
  @Test(arguments: ["sh", "bash", "zsh", "fish", "tcsh", "mksh"])
  func `is that word in each shell that it is pasted into`(shell: String) throws {
    try AgentTree.with { tree in
      for word in `Shell environment`.hostileTokens + [#"\';touch pwned;#"#, "it's new!", #"a\\b"#, "'", #"\'"#] {
        let result = try tree.shell(shell, "/usr/bin/printf '<%s>' \(ShellWord.quoted(word))")
        #expect(result.outputText == "<\(word)>", "\(shell): \(result.errorText)")
      }
      #expect(try tree.shell("sh", "ls").outputText.isEmpty)
    }
  }
}

@Suite(.needsPrograms) struct `Shell environment` {
  static let shells = ["dash", "bash"]

  /// Quoted correctly, or bare as users type it. The shell then splits the output into words and interprets them as
  /// file name patterns.
  static let forms = ["eval \"$(agent env work)\"", "eval $(agent env work)"]

  static let combinations = shells.flatMap { shell in forms.map { (shell, $0) } }

  /// Characters that are special in some shell. An access token may contain all of them except the space (RFC 6749
  /// appendix A.12).
  static let hostileTokens = [
    "'; touch pwned; '", "$(touch pwned)", "`touch pwned`", "*", "?[a-z]*", "~", "a'b\"c\\d", "{a,b}{1..9}", "!!",
    "!-1",
    "#not-a-comment", "-n", "--", "\\", "\\052", "%s%n%%", "a&touch${IFS}pwned&", "|touch<pwned>pwned2",
    "$HOME$$${PATH}",
    "'\"`printf '\\052'`\"'", "((1+1))", "^caret^", "=ls", "@(x)", ";;",
  ].map { $0.filter { $0 != " " } }

  static let hostileFiles = [
    "a", "b", "pattern*", "-e", "-n", "--help", "$(touch pwned)", "`touch pwned`", "'", "\"", "AGENT_ACCESS_TOKEN='x';",
    "'\"`printf", "'\\052\\077'`\"'", "\\", "\\052", "export", "(exit", "new\nline", "two words", ";", "x'", "~", "?",
    "[a]",
  ]

  @Test func `all variables are set and exported`() throws {
    try Session.with { session in
      let answer = try session.tree.json("token", "work")
      let expected = [
        "AGENT_ACCESS_TOKEN=\(answer["access_token"]?.string ?? "")", "AGENT_ACCOUNT=work",
        "AGENT_ISSUER=\(session.issuer.url)", "AGENT_SUBJECT=\(session.events.last?["subject"]?.string ?? "")",
        "AGENT_TOKEN_EXPIRES_AT=\(answer["expires_at"]?.int ?? 0)", "AGENT_TOKEN_TYPE=Bearer",
      ]
      for (shell, form) in Self.combinations {
        let result = try session.tree.shell(shell, "\(form)\nenv | sort | grep '^AGENT_'")
        #expect(result.lines.map { String($0) } == expected, "\(shell): \(form)")
        #expect(result.errorText.isEmpty, "\(shell): \(form)")
      }
    }
  }

  @Test func `hostile values stay text, among hostile files too`() throws {
    try ScriptedServer.with(ScriptedServer.Tokens()) { server in
      try AgentTree.with { tree in
        try tree.signIn(at: server.url)
        let folder = tree.path("home/hostile")
        _ = try tree.directory.open("home/hostile")
        for name in Self.hostileFiles { try tree.directory.write("home/hostile/\(name)", "") }
        let names = try tree.directory.open("home/hostile").fileNames().sorted()
        #expect(names.count == Self.hostileFiles.count)
        for token in Self.hostileTokens {
          server.hand(out: ScriptedServer.Tokens(access: token, refresh: "next"))
          #expect(try tree.token("work", "--force-refresh") == token)
          for (shell, form) in Self.combinations {
            let script = "\(form); printf '%s' \"$AGENT_ACCESS_TOKEN\""
            let result = try tree.shell(shell, script, in: folder)
            #expect(result.outputText == token, "\(shell): \(form)")
            #expect(result.succeeded && result.errorText.isEmpty, "\(shell): \(form): \(result.errorText)")
          }
        }
        #expect(try tree.directory.open("home/hostile").fileNames().sorted() == names, "nothing was run")
      }
    }
  }

  @Test(arguments: shells, forms) func `set -e stops where env fails`(shell: String, form: String) throws {
    try AgentTree.with { tree in
      let stopped = try tree.shell(shell, "set -e; \(form); echo went on")
      #expect(stopped.failed(3))
      #expect(stopped.errorText.hasPrefix("agent: error: "))
      let told = try tree.shell(shell, "\(form); echo $?")
      #expect(told.outputText == "3\n")
      let or = try tree.shell(shell, "\(form) || echo failed")
      #expect(or.outputText == "failed\n")
    }
  }

  @Test(arguments: shells) func `a failure sets nothing`(shell: String) throws {
    try AgentTree.with { tree in
      let result = try tree.shell(shell, "eval $(agent env work); env | grep -c '^AGENT_'", [:])
      #expect(result.outputText == "0\n")
      let usage = try tree.shell(shell, "eval $(agent env --no-such-option); echo $?")
      #expect(usage.outputText == "2\n")
    }
  }

  @Test func `unset takes them all away`() throws {
    try Session.with { (session) throws in
      for shell in Self.shells {
        for form in ["eval \"$(agent env --unset)\"", "eval $(agent env --unset)"] {
          let script = "eval $(agent env work); \(form); env | grep -c '^AGENT_'"
          #expect(try session.tree.shell(shell, script).outputText == "0\n", "\(shell): \(form)")
        }
      }
    }
  }

  @Test func `a variable without a value does not stay from another account`() throws {
    try ScriptedServer.with(ScriptedServer.Tokens()) { server in
      try Session.with { session in
        try session.tree.signIn("plain", at: server.url)
        let script = "eval $(agent env work); eval $(agent env plain); echo \"${AGENT_SUBJECT-unset} $AGENT_ACCOUNT\""
        #expect(try session.tree.shell("dash", script).outputText == "unset plain\n")
      }
    }
  }

  @Test func `a step of a GitHub workflow hides the tokens first, and adds to the file of variables`() throws {
    try Session.with { session in
      let (tree, file) = (session.tree, session.tree.path("home/steps"))
      let token = try tree.token()
      let command = [
        "env", "--shell", "github-actions", "--var", "N=access_token", "--var", "OF=account", "--var", "ID=id_token",
      ]
      try tree.directory.write("home/steps", "BEFORE=1\n")
      let result = try tree.agent(command, ["GITHUB_ENV": file])
      let id = try tree.agent("token", "--id-token").outputText
      #expect(
        result.succeeded && result.outputText == "::add-mask::\(token)\n::add-mask::\(id)", "\(result.outputText)")
      let lines = String(decoding: try tree.directory.read("home/steps"), as: UTF8.self).split(separator: "\n")
      let end = try #require(lines[1].split(separator: "<<").last)
      #expect(
        lines == [
          "BEFORE=1", "N<<\(end)", "\(token)", end, "OF<<\(end)", "work", end, "ID<<\(end)", "\(id.dropLast())", end,
        ],
        "\(lines)")
      let printed = try tree.agent(command)
      #expect(printed.outputText.hasPrefix(result.outputText + "N<<end-"), "\(printed.outputText)")
      #expect(try tree.agent(command + ["--unset"], ["GITHUB_ENV": file]).output.isEmpty)
      let unset = try tree.directory.readText("home/steps").split(separator: "\n").dropFirst(lines.count)
      let last = String(try #require(unset.last))
      #expect(unset.map(String.init) == ["N<<\(last)", last, "OF<<\(last)", last, "ID<<\(last)", last], "\(unset)")
      let refused = try tree.agent(command, ["GITHUB_ENV": tree.path("none/steps")])
      #expect(refused.status == .exited(1), "\(refused.errorText)")
      #expect(refused.errorText.contains("(set in GITHUB_ENV)"), "\(refused.errorText)")
      #expect(!refused.errorText.contains(token))
    }
  }
}
