import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Messages in other languages are whole` {
  /// An installed tree of `agent` with its catalogues, in its own directory.
  private static func install(in tree: AgentTree) throws -> String {
    let place = tree.path("home/installed")
    let result = try ProcessRunner.shell(
      """
      set -e
      mkdir -p '\(place)/bin' '\(place)/libexec'
      cp '\(Programs.path("agent"))' '\(place)/bin/agent'
      ln -s '\(Programs.path("agentd"))' '\(place)/libexec/agentd'
      sh '\(PackageFiles.path("share/po/compile"))' '\(place)/share/locale'
      """)
    try #require(result.succeeded, "\(result.errorText)")
    return "\(place)/bin/agent"
  }

  /// Runs each command line, and returns how many printed something.
  private static func check(
    _ lines: [[String]], _ tree: AgentTree, _ agent: String, _ language: String, _ changes: [String: String?] = [:]
  ) throws -> Int {
    var told = 0
    for line in lines {
      let variables = changes.merging(["LANGUAGE": language]) { one, _ in one }
      let result = try ProcessRunner.run(
        executable: agent, arguments: line, environment: tree.environment(variables))
      let found = EnglishWords.found(in: result.errorText)
      #expect(found.isEmpty, "\(language): \(line.joined(separator: " ")): \(found) in: \(result.errorText)")
      if !result.errorText.isEmpty { told += 1 }
    }
    return told
  }

  private static let wrongLines: [[String]] = [
    ["tokn"], ["frobnicate"], ["account"], ["account", "sett"], ["vault", "frobnicate"], ["token", "-x"],
    ["token", "--min-vaild", "1m"], ["token", "--frobnicate"], ["--min-valid", "1m"], ["token", "--min-valid"],
    ["token", "--min-valid", "yesterday"], ["token", "--json=1"], ["token", "a", "b"], ["token", "--account", ""],
    ["token", "work", "--account", "other"], ["token", "--header", "--json"], ["account", "set", "work"],
    ["account", "set", "work", "--unset", "frobnicate"], ["account", "rename", "work"], ["help", "frobnicate"],
    ["help", "providers", "frobnicate"], ["completions", "tcsh"], ["vault", "set"], ["vault", "remove-slot", "99"],
    ["exec"], ["exec", "work", "true"], ["exec", "--", "/nonexistent/program"], ["exec", "--var", "A", "--", "true"],
    ["exec", "--var", "1=scope", "--", "true"], ["exec", "--var", "PATH=scope", "--", "true"],
    ["exec", "--var", "A=frobnicate", "--", "true"], ["exec", "--var", "A=id_tokn", "--", "true"],
    ["exec", "--signal", "HUP", "--", "true"], ["exec", "--token-file", "--signal", "FROB", "--", "true"],
    ["env", "--json", "--shell", "sh"], ["env", "--var", "A=token_file"], ["logout", "work", "--all"],
    ["logout", "--local", "--browser"], ["events", "--no-daemon"],
    ["lock", "--no-daemon"], ["daemon", "start", "--no-daemon"], ["request"], ["request", "frob", "https://a.example"],
    ["request", "GET", "https://a.example", "--method", "GET"], ["request", "https://a.example", "--json"],
  ]

  private static func unusable(_ tree: AgentTree) -> [[String]] {
    let junk = tree.path("junk")
    return [
      ["token", "nobody"], ["token", "wrok"], ["token", "a b"], ["status", "nobody"], ["logout", "nobody"],
      ["use", "nobody"], ["account", "show", "nobody"], ["account", "remove", "nobody"],
      ["account", "rename", "work", "a b"],
      ["account", "add", "work", "--issuer", "https://a.example", "--client-id", "c"],
      ["account", "add", "new"], ["account", "add", "new", "--issuer", "https://a.example"],
      ["account", "set", "work", "--claims", "frobnicate"], ["account", "set", "work", "--claims", "@/nonexistent"],
      ["account", "set", "work", "--redirect-uri", "ftp://a.example"], ["account", "set", "work", "--host", "a/b"],
      ["account", "set", "work", "--ca-file", "relative.pem"],
      ["account", "import", "new", "--issuer", "https://a.example"],
      ["login", "apple"], ["login", "okta"], ["login", "frobnicate", "--no-input"], ["login", "--no-input"],
      ["login", "new", "--issuer", "ftp://a.example", "--client-id", "c"],
      ["login", "new", "--issuer", "http://a.example", "--client-id", "c"],
      ["login", "new", "--issuer", "https://nowhere.invalid", "--client-id", "c"],
      ["login", "new", "--issuer", "http://127.0.0.1:1", "--client-id", "c", "--allow-http-loopback"],
      ["login", "work", "--resume", "frobnicate"], ["login", "work", "--prompt", "none login"],
      ["login", "work", "--client-secret-file", "/nonexistent"],
      ["login", "work", "--client-secret-prompt", "--no-input"], ["login", "work", "--ca-file", junk],
      ["login", "work", "--client-key-file", junk], ["login", "work", "--device", "--acr", "x"],
      ["request", "https://a.example/x"], ["request", "https://a.example/x", "--account", "work"],
      ["request", "ftp://a.example/x", "--account", "work"],
      ["request", "POST", "https://a.example/x", "--data", "@/nonexistent"],
      ["proof", "GET", "https://a.example/x"], ["token", "--min-valid", "30d"],
      ["decode", "/nonexistent"], ["decode", junk], ["decode", "/"], ["decode", "eyJhbGciOiJub25lIn0.e30.x"],
      ["verify", "/nonexistent"], ["verify", "--jwks", "/nonexistent", junk], ["verify", "--jwks", junk, junk],
      ["verify", "--jwks", junk, "--account", "work", junk],
      ["verify", "--jwks", junk, "--signature-only", "--audience", "a", junk],
      ["vault", "add-passphrase", "--no-input"], ["vault", "change-passphrase", "--no-input"],
      ["vault", "add-passphrase", "--passphrase-file", "/nonexistent"], ["vault", "remove-slot", "1"],
      ["vault", "remove-slot", "9"], ["vault", "rebind", "--passphrase-file", junk],
      ["vault", "set", "--lock-after", "5m"], ["vault", "bind"], ["vault", "rotate-key"], ["unlock", "--no-input"],
      ["unlock", "nobody", "--no-input"], ["lock"],
    ]
  }

  @Test(arguments: ["de", "ar"]) func `when a command line is wrong`(language: String) throws {
    try AgentTree.with { tree in
      let agent = try Self.install(in: tree)
      #expect(try Self.check(Self.wrongLines, tree, agent, language) >= 40)
      #expect(try Self.check([["token"], ["logout"], ["use", "nobody"]], tree, agent, language) >= 2)
      #expect(try Self.check([["status"]], tree, agent, language, ["AGENT_SOCKET": "relative"]) == 1)
      #expect(try Self.check([["token"]], tree, agent, language, ["AGENT_SOCKET": "/nonexistent/socket"]) == 1)
    }
  }

  @Test(arguments: ["de", "ar"]) func `when something cannot be done`(language: String) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let agent = try Self.install(in: tree)
        try tree.directory.write("junk", "a.b\n")
        try tree.signIn(at: issuer.url)
        #expect(try Self.check(Self.unusable(tree), tree, agent, language) >= 50)
        try issuer.control("revoke_all", "1")
        let ended = [["token", "--force-refresh"], ["token"], ["status"]]
        #expect(try Self.check(ended, tree, agent, language) >= 1)
        let changes = [
          ["account", "set", "work", "--scope", "openid"], ["account", "rename", "work", "other"], ["use", "other"],
          ["account", "remove", "other"], ["account", "add", "new", "--issuer", issuer.url, "--client-id", "c"],
          ["daemon", "start"], ["daemon", "stop"], ["daemon", "stop"],
        ]
        #expect(try Self.check(changes, tree, agent, language) >= 5)
      }
    }
  }

  @Test(arguments: ["de", "ar"]) func `when a sign-in is denied, and when it succeeds`(language: String) throws {
    for approval in ["never", "always"] {
      try Issuer.with(approval: approval) { issuer in
        try AgentTree.with { tree in
          let agent = try Self.install(in: tree)
          let login = [
            "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device",
          ]
          #expect(try Self.check([login, ["login", "work", "--device"], ["logout"]], tree, agent, language) >= 2)
        }
      }
    }
  }

  @Test(arguments: ["de", "ar"]) func `when an account is locked`(language: String) throws {
    try LockedHome.with { home in
      let agent = try Self.install(in: home.tree)
      try home.lock()
      let lines = [
        ["token", "shut"], ["token", "shut", "--no-input"], ["unlock", "--no-input"],
        ["unlock", "--passphrase-file", home.wrong], ["unlock", "--passphrase-file", "/nonexistent"],
        ["login", "shut", "--no-input", "--device"], ["unlock", "--passphrase-file", home.file], ["unlock"], ["lock"],
      ]
      #expect(try Self.check(lines, home.tree, agent, language) >= 7)
    }
  }
}
