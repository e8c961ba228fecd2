import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `The JSON` {
  @Test func `of every command has a schema`() throws {
    let answers = try JSONAnswers()
    let described = Set(answers.commands).intersection(answers.schema.names)
    #expect(described.isDisjoint(with: JSONAnswers.withoutJSON.keys))
    #expect(described.union(JSONAnswers.withoutJSON.keys) == Set(answers.commands))
  }

  @Test func `of the version tells of the running daemon what agentd tells of itself`() throws {
    let answers = try JSONAnswers()
    let own = try ProcessRunner.run(executable: Programs.path("agentd"), arguments: ["--version", "--json"])
    let ofDaemon = try JSON(parsing: own.output)
    try AgentTree.with { tree in
      let alone = try JSON(parsing: tree.agent("--version", "--json").output)
      #expect(alone["daemon"] == nil && alone["version"] == ofDaemon["version"])
      #expect(try tree.agent("daemon", "start").succeeded)
      let both = try JSON(parsing: tree.agent("--version", "--json").output)
      #expect(both["daemon"] == ofDaemon && both["commit"] == ofDaemon["commit"])
      for value in [alone, both] { #expect(answers.schema.violations(of: value, by: "version") == []) }
    }
  }

  /// Commands whose section refers to that of another one.
  private static let references = [
    "list": "status", "status": "daemon status", "workload": "login", "daemon start": "daemon status",
    "daemon restart": "daemon status", "daemon log": "status", "events": "daemon log", "vault bind": "vault status",
    "vault add-passphrase": "vault status", "vault rotate-key": "vault status", "vault rebind": "vault status",
    "vault check": "vault status", "lock": "vault status", "unlock": "vault status",
  ]

  @Test func `is described in the manual, member by member and word by word`() throws {
    let answers = try JSONAnswers()
    let manual = try Manual()
    let settings = try Manual.section("ACCOUNTS", of: "agent-config.5").map(Manual.plain).joined(separator: " ")
    let signIn = try ["login", "EVENTS"].flatMap { try Manual.section($0, of: "agent-protocol.7") }.map(Manual.plain)
    let codes = answers.schema.words(of: "failure_code")
    // The list of failure codes describes the members that belong to one of them.
    let ofCodes = answers.schema.members(of: "failure").subtracting(["code", "message", "hint"])
    for member in ofCodes { #expect(try PackageFiles.text("man/agent-protocol.7").contains(member), "\(member)") }
    for command in answers.commands where JSONAnswers.withoutJSON[command] == nil {
      let own = try #require(manual.text(on: command))
      let other = try Self.references[command].map { "\n" + (try #require(manual.text(on: $0))) } ?? ""
      // The events of a sign-in are those of the protocol.
      let events = ["login", "workload"].contains(command) ? "\n" + signIn.joined(separator: " ") : ""
      let text = own + other + events + (command == "account show" ? "\n" + settings : "")
      // The section OUTPUT of agent(1) describes error objects.
      let described = text.contains("error object") ? ofCodes.union(["code", "message", "hint"]) : ofCodes
      let members = answers.schema.members(of: command).subtracting(described)
      for member in members {
        // A list has it, or a sentence names it: alone with its type, or with others that are described together.
        let forms = [
          "\"\(member)\"", "\(member) Ta ", " \(member): ", " \(member) (", "\(member), ", "\(member) as for ",
        ]
        #expect(forms.contains { text.contains($0) }, "\(command): \(member)")
      }
      let words = answers.schema.words(of: command).subtracting(codes)
      let spoken = Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }.map(String.init))
      for word in words { #expect(spoken.contains(word), "\(command): \(word)") }
      let known = answers.schema.members(of: command).union(words).union(["code", "message", "hint"])
      for name in Self.quotedNames(in: own) where !known.contains(name) {
        Issue.record("\(command): the manual speaks of \"\(name)\", which is not in the schema")
      }
    }
  }

  /// Quoted words that are spelled like a member.
  private static func quotedNames(in text: String) -> [String] {
    text.matches(of: #/"([a-z_]+)"/#).map { String($0.1) }
  }

  /// Calls of all commands, in an order in which each has output.
  private static func calls(_ issuer: Issuer, _ tree: AgentTree) -> [[String]] {
    let server = ["--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"]
    let settings = [
      "--scope", "openid offline_access", "--token-endpoint-auth-method", "none", "--ca-file",
      "/etc/ssl/certs/ca-certificates.crt", "--pin", "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      "--token-endpoint", "\(issuer.url)/token", "--device-authorization-endpoint",
      "\(issuer.url)/device_authorization",
      "--userinfo-endpoint", "\(issuer.url)/userinfo", "--revocation-endpoint", "\(issuer.url)/revoke",
      "--registration-endpoint", "\(issuer.url)/register", "--jwks-uri",
      "\(issuer.url)/jwks", "--keep", "--dpop", "--host",
      "api.example.com", "--refresh", "strict",
    ]
    return [
      ["login", "work"] + server, ["token"], ["helper", "header", "--account", "work"],
      ["token", "work", "--id-token"], ["token", "--force-refresh"], ["env"],
      ["env", "--shell", "json", "--var", "EMAIL=claim:sub"], ["env", "--unset"], ["exec", "--", "true"], ["status"],
      ["token-file", "add"], ["token-file"], ["token-file", "remove", "work"],
      ["status", "work", "--check"], ["list"], ["use", "work"], ["whoami"], ["account", "show"],
      ["request", "\(issuer.url)/userinfo", "--output", tree.path("body")], ["login", "work", "--device", "--dpop"],
      ["proof", "\(issuer.url)/userinfo"],
      ["verify", tree.path("jwt"), "--jwks", tree.path("jwks")],
      ["verify", tree.path("jwt"), "--jwks", tree.path("jwks"), "--signature-only"], ["decode", tree.path("jwt")],
      ["account", "add", "idle"] + server + settings, ["account", "show", "idle"],
      ["account", "client-metadata", "--client-id", "https://example.com/agent.json"],
      ["setup", "docker", "--host", "api.example.com", "--print"],
      ["setup", "kubectl", "--host", "api.example.com"], ["setup", "git", "--host", "api.example.com", "--dry-run"],
      ["setup", "aws", "--role-arn", "arn:aws:iam::1:role/r", "--host", "api.example.com", "--yes"],
      ["setup", "aws", "--role-arn", "arn:aws:iam::1:role/r", "--host", "api.example.com", "--yes"],
      ["setup"], ["doctor"], ["setup", "aws", "--undo"], ["setup", "--undo"],
      ["account", "set", "idle", "--scope", "openid", "--unset", "keep"],
      ["account", "set", "work", "--client-id", "other"], ["status"],
      ["account", "set", "work", "--client-id", "agent-cli"], ["account", "rename", "idle", "spare"],
      ["account", "import", "home"] + server + ["--refresh-token-file", tree.path("token")],
      ["status", "--check"], ["list"], ["account", "remove", "work"], ["account", "remove", "spare", "--local"],
      ["login", "home"], ["logout", "home"], ["logout", "home"],
      [
        "workload", "robot", "--issuer", issuer.url, "--client-id", "agent-confidential", "--allow-http-loopback",
        "--client-secret-file", tree.path("secret"),
      ], ["logout", "--all"], ["status"],
    ] + vaultCalls(tree)
      + [
        ["daemon", "status"], ["daemon", "log"], ["events"], ["daemon", "stop"], ["daemon", "stop"],
        ["daemon", "start"], ["daemon", "refresh"],
        ["daemon", "start"], ["daemon", "restart"], ["daemon", "stop"], ["--no-daemon", "list"],
        ["completions", "bash"],
        ["help"],
      ].map { $0.first == "--no-daemon" ? Array($0.dropFirst()) + ["--no-daemon"] : $0 }
  }

  /// The slots are numbered in order of creation: the device's, the level's, the device's again.
  private static func vaultCalls(_ tree: AgentTree) -> [[String]] {
    let old = ["--passphrase-file", tree.path("old")]
    let new = ["--passphrase-file", tree.path("new")]
    return [
      ["login", "home", "--protect", "passphrase"] + old, ["vault", "status"], ["account", "show", "home"], ["lock"],
      ["lock"], ["status"], ["list"], ["vault", "status"], ["unlock", "home"] + old, ["unlock"],
      ["vault", "change-passphrase", "--new-passphrase-file", tree.path("new")] + old, ["vault", "rotate-key"] + new,
      ["vault", "bind", "--to", "host"], ["vault", "add-passphrase"] + old, ["vault", "check"],
      ["vault", "remove-slot", "4"], ["vault", "set", "--lock-after", "never"], ["vault", "set", "--lock-after", "1h"],
      ["account", "set", "home", "--protect", "device"], ["vault", "add-passphrase"] + old, ["vault", "rebind"] + old,
      ["logout", "home"],
    ]
  }

  @Test func `that commands answer fits the schema`() throws {
    var answers = try JSONAnswers()
    try AgentTree.with { tree in
      try Issuer.with(["--client-secret-file", tree.path("secret")]) { issuer in
        try tree.directory.write("token", try issuer.refreshToken())
        try tree.directory.write("old", "correct horse\n")
        try tree.directory.write("new", "battery staple")
        try SignedTokens().write(to: tree)
        for call in Self.calls(issuer, tree) { try answers.succeed(call, in: tree) }
        try tree.directory.write("state/agent/device.key", "")
        try answers.succeed(["vault", "set-aside"], in: tree)
      }
    }
    // These commands continue until they are stopped.
    #expect(Set(answers.commands).subtracting(answers.answered) == ["daemon run", "mcp", "serve", "lease-port", "ssh"])
  }

  @Test func `that tells of single steps fits the schema`() throws {
    var answers = try JSONAnswers()
    try Session.with { session in
      // The daemon's log starts empty, with nothing in memory.
      try session.tree.stopDaemon()
      for arguments in [
        ["token"], ["token", "--force-refresh"], ["token", "--min-valid", "2h"], ["whoami"], ["login"],
      ] {
        _ = try session.tree.agent(arguments + ["--verbose"])
      }
      _ = try session.tree.agent("status", "--check", "--verbose")
      session.issuer.stop()
      _ = try session.tree.agent("token", "--force-refresh", "--verbose")
      let log = try answers.succeed(["daemon", "log"], in: session.tree).first?["events"]?.array
      let words = Set((log ?? []).compactMap { $0["event"]?.string })
      #expect(
        words.isSuperset(of: [
          "token_served", "refresh_needed", "record_read", "record_written", "answered", "unanswered",
        ]), "\(words)")
    }
  }

  @Test func `that tells of trouble fits the schema`() throws {
    var answers = try JSONAnswers()
    try Session.with { session in
      let tree = session.tree
      let peer = try Peer(tree.socketPath)
      _ = try peer.send(Array(repeating: UInt8(ascii: "x"), count: (1 << 20) + 4096))
      while try peer.readLine() != nil {}
      session.issuer.stop()
      try answers.fail(["token", "--force-refresh"], 4, "network", in: tree)
      let accounts = try answers.succeed(["status", "--check"], in: tree, status: 4).first?["accounts"]?.array
      #expect(accounts?.first?["problem"]?["code"] == "network")
      #expect(accounts?.first?["check_problem"]?["code"] == "network")
      let loggedOut = try answers.succeed(["logout", "work"], in: tree).first?["accounts"]?.array
      #expect(loggedOut?.first?["revoked"] == false && loggedOut?.first?["detail"]?.string != nil)
      let words = try answers.succeed(["daemon", "log"], in: tree).first?["events"]?.array?.compactMap {
        $0["event"]?.string
      }
      #expect(Set(["refresh_retry", "peer_dropped", "checked", "signed_out"]).isSubset(of: words ?? []))
    }
    // A server without OpenID Connect: the user is unknown.
    try ScriptedServer.with(ScriptedServer.Tokens()) { server in
      try AgentTree.with { tree in
        let address = ["--issuer", server.url, "--client-id", "agent-cli", "--allow-http-loopback"]
        for call in [["login", "work"] + address, ["token"], ["env"], ["status", "--check"]] {
          try answers.succeed(call, in: tree)
        }
      }
    }
  }

  @Test func `of a wrong command line is an error`() throws {
    var answers = try JSONAnswers()
    try AgentTree.with { tree in
      for command in answers.commands {
        let words = command.split(separator: " ").map(String.init)
        try answers.fail(words + ["--no-such-option"], 2, "invalid_request", in: tree)
      }
    }
    #expect(answers.failed == Set(answers.commands))
  }

  /// A call of each command that reaches its action.
  private static let attempts: [String: [String]] = [
    "helper": ["header", "--account", "work"], "setup": ["docker", "--host", "registry.example.com"],
    "login": ["work", "--issuer", "https://id.example", "--client-id", "x"], "exec": ["--", "true"], "use": ["work"],
    "account add": ["work", "--issuer", "https://id.example", "--client-id", "x"],
    "account set": ["work", "--keep"], "account rename": ["work", "home"], "account remove": ["work"],
    "request": ["https://api.example", "--output", "/dev/null"], "proof": ["https://api.example"],
    "vault remove-slot": ["1"], "vault set": ["--lock-after", "5m"],
    "vault add-passphrase": ["--passphrase-file", "/dev/null"], "vault rebind": ["--passphrase-file", "/dev/null"],
    "vault change-passphrase": ["--passphrase-file", "/dev/null", "--new-passphrase-file", "/dev/null"],
    "account client-metadata": ["--client-id", "https://example.com/agent.json"],
    "account import": [
      "work", "--issuer", "https://id.example", "--client-id", "x", "--refresh-token-file", "/dev/null",
    ],
  ]

  @Test func `of a command that cannot reach a daemon is an error`() throws {
    var answers = try JSONAnswers()
    // These need no daemon. The doctor reports that there is none, and the bridge reports it to its client.
    let others: Set = ["daemon run", "completions", "help", "decode", "doctor", "mcp", "lease-port", "ssh"]
    try AgentTree.with { tree in
      for command in answers.commands where !others.contains(command) {
        let words = command.split(separator: " ").map(String.init) + (Self.attempts[command] ?? [])
        try answers.fail(words, 1, "invalid_configuration", in: tree, ["AGENT_SOCKET": "no/absolute/path"])
      }
      try answers.fail(["daemon", "run", "--no-daemon"], 2, "invalid_request", in: tree)
      try answers.fail(["completions", "no-such-shell"], 2, "invalid_request", in: tree)
      try answers.fail(["doctor", "work", "--account", "home"], 2, "invalid_request", in: tree)
      try answers.fail(["help", "no-such-command"], 2, "invalid_request", in: tree)
      try answers.fail(["decode", "/no/such/file"], 2, "invalid_request", in: tree)
      try answers.fail(["mcp", "no-such-url"], 2, "invalid_request", in: tree)
      try answers.fail(["lease-port"], 2, "invalid_request", in: tree)
      try answers.fail(["ssh"], 2, "invalid_request", in: tree)
      #expect(try tree.daemons() == [])
    }
    #expect(answers.failed == Set(answers.commands))
  }

  @Test func `of a command that cannot do its work is an error`() throws {
    var answers = try JSONAnswers()
    try Issuer.with(approval: "never") { issuer in
      try AgentTree.with { tree in
        let server = ["--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback"]
        try answers.fail(["daemon", "status"], 4, "daemon_unavailable", in: tree)
        try answers.fail(["daemon", "log"], 4, "daemon_unavailable", in: tree)
        try answers.fail(["events"], 4, "daemon_unavailable", in: tree)
        for command in answers.commands where !["env", "exec"].contains(command) {
          let takesAccount = ["logout", "token", "whoami", "status", "account show", "use"].contains(command)
          guard takesAccount else { continue }
          let words = command.split(separator: " ").map(String.init)
          try answers.fail(words + ["nobody"], 3, "no_account", in: tree)
        }
        for arguments in [["env", "nobody"], ["exec", "nobody", "--", "true"], ["account", "remove", "nobody"]] {
          try answers.fail(arguments, 3, "no_account", in: tree)
        }
        try answers.fail(["login", "work"] + server, 6, "access_denied", in: tree)
        try answers.succeed(["account", "add", "work"] + server, in: tree)
        try answers.fail(["account", "add", "work"] + server, 1, "account_exists", in: tree)
        try answers.succeed(["account", "add", "other"] + server, in: tree)
        try answers.fail(["token"], 3, "signed_out", in: tree)
        try answers.fail(["env"], 3, "signed_out", in: tree)
        try answers.fail(["exec", "--", "true"], 3, "signed_out", in: tree)
      }
    }
  }
}
