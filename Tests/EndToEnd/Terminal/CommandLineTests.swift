import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The command line` {
  static let wrong: [[String]] = [
    ["no-such-command"], ["toekn"], ["token", "--no-such-option"], ["token", "--min-valid"],
    ["token", "--min-valid", "soon"], ["token", "--min-valid", "999d"], ["token", "a", "b"],
    ["daemon"], ["daemon", "no-such-word"], ["account", "remove"], ["env", "--shell", "no-such-shell"],
    ["logout", "work", "--all"],
    ["token", "--quiet=yes"],
    ["login", "work", "--browser", "--paste"],
    ["login", "work", "--issuer", ""],
    ["exec", "work"],
  ]

  @Test(arguments: wrong) func `a wrong one is a usage error`(arguments: [String]) throws {
    try AgentTree.with { tree in
      let result = try tree.agent(arguments)
      #expect(result.status == .exited(2))
      let statement = arguments.first == "env" ? "(exit 2);\n" : ""
      #expect(result.outputText == statement)
      #expect(result.errorText.hasPrefix("agent: error: "))
      #expect(try tree.daemons() == [], "no daemon is needed to see that")
    }
  }

  @Test func `a usage error in JSON`() throws {
    try AgentTree.with { tree in
      let result = try tree.agent("toekn", "--json")
      #expect(result.failed(2))
      let error = try #require(try JSON(parsing: result.error)["error"]?.object)
      #expect(error.names == ["code", "message", "hint"])
      #expect(error["code"] == "invalid_request")
      #expect(error["hint"]?.string?.contains("agent token") == true)
      let contradiction = try tree.agent("token", "--header", "--json")
      #expect(contradiction.failed(2))
      #expect(contradiction.failureCode == "invalid_request")
    }
  }

  @Test func `an empty one says how to begin, and later how the accounts are`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let first = try tree.agent([])
        #expect(first.succeeded && first.error.isEmpty && first.lines.count == 3)
        #expect(first.lines.first?.contains("agent login") == true && first.lines.last?.contains("agent help") == true)
        #expect(try tree.daemons() == [])
        try tree.signIn(at: issuer.url)
        let second = try tree.agent([])
        #expect(second.succeeded && second.lines.first?.hasPrefix("   ACCOUNT  PERSON") == true)
        #expect(second.lines.dropFirst().first?.hasPrefix("*  work     ") == true, "\(second.outputText)")
        #expect(second.outputText.contains("  signed in  ") && second.outputText.contains(" left  "))
        #expect(try tree.agent("logout", "--quiet").succeeded)
        #expect(try tree.agent([]).lines.dropFirst().first?.hasPrefix("*  work     signed out  ") == true)
      }
    }
  }

  @Test func `help and version need no daemon and no settings`() throws {
    try AgentTree.with { tree in
      for arguments in [["help"], ["--help"], ["token", "--help"], ["help", "login"], ["--version"]] {
        let result = try tree.agent(arguments, ["HOME": nil, "XDG_RUNTIME_DIR": nil, "XDG_STATE_HOME": nil])
        #expect(result.succeeded && !result.output.isEmpty && result.error.isEmpty, "\(arguments)")
      }
      #expect(try tree.daemons() == [])
    }
  }

  // A script that tries again later would do so for ever.
  @Test func `without a home no daemon is started, which is no passing failure`() throws {
    try AgentTree.with { tree in
      let nowhere = [
        "HOME": "relative", "XDG_CONFIG_HOME": nil, "XDG_STATE_HOME": nil, "XDG_CACHE_HOME": nil, "XDG_DATA_HOME": nil,
      ]
      for arguments in [["token", "--json"], ["token", "--json", "--no-daemon"]] {
        let result = try tree.agent(arguments, nowhere)
        #expect(result.failed(1) && result.failureCode == "invalid_configuration", "\(result.errorText)")
        #expect(result.errorText.contains("HOME is not set"), "\(result.errorText)")
      }
      #expect(try tree.daemons() == [])
    }
  }

  // As under a service manager, or after `env -i`.
  @Test(.needsMountNamespace) func `without HOME the user's home in passwd is used`() throws {
    try AgentTree.with { tree in
      let script = """
        mkdir -p passwd-home
        echo "someone:x:$(id -u):0::$PWD/passwd-home:/bin/sh" > passwd
        mount --bind passwd /etc/passwd
        agent account add work --issuer https://as.example --client-id c --quiet
        agent daemon stop --quiet
        """
      let result = try ProcessRunner.run(
        executable: "/usr/bin/unshare", arguments: OtherMachine.namespace + ["/bin/sh", "-ec", script],
        environment: tree.environment([
          "HOME": nil, "XDG_CONFIG_HOME": nil, "XDG_STATE_HOME": nil, "XDG_CACHE_HOME": nil,
        ]), directory: tree.path("home"))
      #expect(result.succeeded, "\(result.errorText)")
      let settings = try tree.directory.readText("home/passwd-home/.config/agent/config.json")
      #expect(settings.contains("https://as.example"))
    }
  }

  @Test(.enabled(if: Machine.userID == 0, "only root can be another user"), arguments: ["/", "/nonexistent"])
  func `a home in which nothing can be made leaves the way without one`(home: String) throws {
    try OtherUser.with { user in
      let result = try user.agent(["list"], in: ["/usr/bin/env", "XDG_RUNTIME_DIR=/nonexistent", "HOME=\(home)"])
      #expect(result.failed(1) && result.errorText.contains(": Permission denied"), "\(result.errorText)")
      #expect(
        result.errorText.contains(
          "hint: set HOME to a directory of your own, or store nothing: agent login --no-daemon"))
    }
  }

  // Like `env -i` in a container whose user is only a number.
  @Test(.enabled(if: Machine.userID == 0, "only root can be another user"), arguments: [nil, "", "/", "/nonexistent"])
  func `a user without a home can sign in as the hint says`(home: String?) throws {
    try ScriptedServer.with(ScriptedServer.Tokens()) { server in
      try OtherUser.with(userID: 61_237) { user in
        let wrapper = ["/usr/bin/env", "-u", "XDG_RUNTIME_DIR"] + (home.map { ["HOME=\($0)"] } ?? ["-u", "HOME"])
        let list = try user.agent(["list"], in: wrapper)
        let hint = "hint: set HOME to a directory of your own, or store nothing: agent login --no-daemon --ephemeral\n"
        #expect(list.failed(1) && list.errorText.hasSuffix(hint), "\(list.errorText)")
        let login = [
          "login", "--no-daemon", "--ephemeral", "work", "--issuer", server.url, "--client-id", "c",
          "--allow-http-loopback", "--device",
        ]
        let result = try user.agent(login, in: wrapper)
        #expect(result.succeeded, "\(result.errorText)")
      }
    }
  }

  @Test func `an account that does not exist needs a sign-in`() throws {
    try AgentTree.with { tree in
      for arguments in [
        ["token"], ["token", "nobody"], ["whoami", "nobody"], ["use", "nobody"], ["logout", "nobody"],
      ] {
        let result = try tree.agent(arguments + ["--no-input", "--json"])
        #expect(result.failed(3), "\(arguments)")
        #expect(result.failureCode == "no_account", "\(arguments)")
      }
    }
  }

  @Test func `an answer that cannot be written is a failure`() throws {
    try Session.with { session in
      for command in [
        "agent token work", "agent token work --json", "agent env work", "agent status", "agent --version",
      ] {
        let result = try session.tree.shell("dash", "\(command) >/dev/full")
        #expect(result.failed(1), "\(command)")
        #expect(result.errorText.contains("cannot write the answer"), "\(command)")
      }
      let closed = try session.tree.shell("dash", "agent token work >&-")
      #expect(closed.failed(1))
    }
  }

  @Test func `an answer whose reader has gone ends the command with no word`() throws {
    try Session.with { session in
      let tokens = String(repeating: try session.tree.token("work", "--id-token") + "\n", count: 1000)
      try session.tree.directory.write("home/tokens", tokens)
      for command in [
        "agent verify --issuer \(session.issuer.url) tokens", "agent decode tokens", "agent status", "agent --version",
        "agent request \(session.issuer.url)/userinfo",
      ] {
        let result = try session.tree.shell(
          "dash", "mkfifo pipe && exec 3<>pipe 4>pipe 3<&-; \(command) >&4; status=$?; rm pipe; exit $status")
        let warnings = result.errorText.split(separator: "\n").filter { !$0.contains("NOT VERIFIED") }
        #expect(result.status == .exited(1) && warnings.isEmpty, "\(command): \(result.errorText)")
      }
    }
  }

  @Test func `the status has what is documented, and no token`() throws {
    try Session.with { session in
      let token = try session.tree.token()
      let result = try session.tree.agent("status", "--json")
      let status = try JSON(parsing: result.output)
      #expect(status.object?.names == ["accounts", "daemon", "vault"])
      let account = try #require(status["accounts"]?.array?.first?.object)
      #expect(
        account.names == [
          "name", "active", "issuer", "state", "person", "expires_at", "client_id", "protection", "subject", "scope",
          "refresh", "last_refresh", "next_renewal", "http_loopback",
        ])
      #expect(account["name"] == "work" && account["active"] == true && account["state"] == "active")
      #expect(account["http_loopback"] == true)
      #expect(account["expires_at"] == session.events.last?["expires_at"])
      #expect(status["daemon"]?["socket"] == .string(session.tree.socketPath))
      #expect(status["daemon"]?["version"] != nil)
      #expect(status["vault"]?["exists"] == true)
      #expect(status["vault"]?["slots"] == ["host"])
      #expect(status["vault"]?["path"]?.string?.hasPrefix(session.tree.path("state/agent/vault.")) == true)
      #expect(!result.outputText.contains(token))
      #expect(try !session.tree.agent("status").outputText.contains(token))
    }
  }

  @Test func `the status of accounts survives a restart`() throws {
    try Session.with { session in
      try session.tree.stopDaemon()
      let account = try #require(try session.tree.json("status")["accounts"]?.array?.first)
      #expect(account["state"] == "stale")
      #expect(account["subject"] == session.events.last?["subject"])
      #expect(try session.issuer.count("refreshes") == 0)
    }
  }

  @Test func `files are for this user alone`() throws {
    try Session.with { session in
      let line = "cd '\(session.tree.directory.path)' && find config/agent state/agent cache/agent -perm /077"
      let result = try ProcessRunner.shell(line)
      #expect(result.succeeded, "\(result.errorText)")
      #expect(result.outputText == "")
    }
  }
}
