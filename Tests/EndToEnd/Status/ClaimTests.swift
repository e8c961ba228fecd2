import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `Claims` {
  static let hostileTexts = [
    "", " ", "two  spaces   three", "'", "\"", "`touch pwned`", "$(touch pwned)", "'; touch pwned; '", "$HOME ${PATH}",
    "*", "?[a-z]* /etc/*", "{a,b}{1..9}", "!!", "a!b !-1", "^a^b", "\\", "\\052 \\n \\\\", "~ ~root", "# no comment",
    "-n", "--", "a =- b =1 =ls", "(touch pwned)", "&touch pwned&", "|touch pwned", ">pwned", "%s%n%1", "tab\there",
    "\u{1B}[31m\u{7}", "\u{7F}", "日本語 é \u{202E}", "'\"`printf '\\052'`\"'", "@(a|b)", "a\\",
  ]

  static let hostileFiles = [
    "a", "b", "=1", "=-", "*", "?", "'", "\"", "\\", "-n", "~", "$(touch pwned)", "'\"`printf", "'\\052'`\"'",
    "two words", "setenv", "export", "{a,b}", "!",
  ]

  struct ShellLine: Sendable, CustomTestStringConvertible {
    let path: String
    let arguments: [String]
    /// Evaluates the output of `agent env` with additional options.
    let line: String
    var testDescription: String { "\(path): \(line)" }
  }

  static let shellLines: [ShellLine] =
    [("/bin/dash", []), ("/bin/bash", []), ("/usr/bin/zsh", ["-f"]), ("/usr/bin/mksh", []), ("/bin/busybox", ["sh"])]
    .flatMap { (path, arguments) in
      ["eval \"$(agent env OPTIONS)\"", "eval $(agent env OPTIONS)"].map {
        ShellLine(path: path, arguments: arguments, line: $0)
      }
    }
    + ["/usr/bin/tcsh", "/usr/bin/bsd-csh"].flatMap { path in
      ["eval \"`agent env --shell csh OPTIONS`\"", "eval `agent env --shell csh OPTIONS`"].map {
        ShellLine(path: path, arguments: ["-f"], line: $0)
      }
    }
    + ["agent env --shell fish OPTIONS | source", "eval (agent env --shell fish OPTIONS)"].map {
      ShellLine(path: "/usr/bin/fish", arguments: ["--no-config"], line: $0)
    }

  static let installed = shellLines.filter { (try? FileDescriptor(opening: $0.path, for: .reading)) != nil }

  @Test func `arrive unchanged in every shell, and nothing runs`() throws {
    let texts = Self.hostileTexts
    let claims = texts.enumerated().flatMap { index, text in
      ["--claim", "c\(index)=\(String(decoding: JSON.string(text).serialized(), as: UTF8.self))"]
    }
    try Issuer.with(claims) { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url)
        let folder = tree.path("home/hostile")
        _ = try tree.directory.open("home/hostile")
        for name in Self.hostileFiles { try tree.directory.write("home/hostile/\(name)", "") }
        let names = try tree.directory.open("home/hostile").fileNames().sorted()
        let options = texts.indices.map { "--var V\($0)=claim:c\($0)" }.joined(separator: " ")
        for shell in Self.installed {
          let reading = texts.indices.map { "printenv V\($0)\n" }.joined()
          let script = shell.line.replacing("OPTIONS", with: options) + "\n" + reading
          try tree.directory.write("script", script)
          let result = try ProcessRunner.run(
            executable: shell.path, arguments: shell.arguments + [tree.path("script")], environment: tree.environment(),
            directory: folder)
          #expect(result.outputText == texts.map { $0 + "\n" }.joined(), "\(shell)")
          #expect(result.succeeded && result.errorText.isEmpty, "\(shell): \(result.errorText)")
          #expect(try tree.directory.open("home/hostile").fileNames().sorted() == names, "\(shell): nothing was run")
        }
        let exec = try tree.agent(["exec"] + options.split(separator: " ").map(String.init) + ["--", "printenv", "V5"])
        #expect(exec.outputText == texts[5] + "\n")
      }
    }
  }

  @Test func `of every kind have their documented text`() throws {
    try Session.with(
      "--claim", "age=42", "--claim", "admin=true", "--claim", "groups=[\"a b\",\"c\"]", "--claim", "org={\"id\":1.50}"
    ) { session in
      let result = try session.tree.agent(
        "env", "--shell", "json", "--var", "AGE=claim:age", "--var", "ADMIN=claim:admin", "--var",
        "TEAMS=claim:groups",
        "--var", "ORG=claim:org", "--var", "PERSON=claim:sub")
      let expected: JSON = [
        "AGE": "42", "ADMIN": "true", "TEAMS": #"["a b","c"]"#, "ORG": #"{"id":1.50}"#,
        "PERSON": session.events.last?["subject"] ?? .null,
      ]
      #expect(try JSON(parsing: result.output) == expected)
      let missing = try session.tree.agent("env", "--shell", "json", "--var", "A=account", "--var", "X=claim:missing")
      #expect(missing.failed(1))
      #expect(missing.errorText.hasPrefix("agent: error: work has no claim:missing, so X is not set\n"))
    }
  }

  @Test func `with a line break are refused by shells`() throws {
    try Session.with("--claim", #"note="a\nb""#) { session in
      let refused = try session.tree.agent("env", "--shell", "dotenv", "--var", "NOTE=claim:note")
      #expect(refused.failed(1))
      #expect(refused.errorText.contains("the value of NOTE contains a control character"))
      let passed = try session.tree.agent("exec", "--var", "NOTE=claim:note", "--", "printenv", "NOTE")
      #expect(passed.outputText == "a\nb\n")
    }
  }
}

@Suite(.needsPrograms) struct `The ID Token` {
  /// The unverified claims of a compact JWT.
  private func claims(_ compact: String) throws -> JSON {
    let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
    try #require(parts.count == 3)
    return try JSON(parsing: try Base64URL.decode(String(parts[1])))
  }

  @Test func `is printed alone, as a header and in JSON, and is cached`() throws {
    try Session.with { session in
      let before = try session.issuer.requests()
      let idToken = try session.tree.token("work", "--id-token")
      #expect(try claims(idToken)["sub"] == session.events.last?["subject"])
      #expect(try claims(idToken)["iss"] == .string(session.issuer.url))
      let header = try session.tree.agent("token", "--id-token", "--header")
      #expect(header.outputText == "Authorization: Bearer \(idToken)\n")
      let json = try session.tree.json("token", "--id-token")
      #expect(json["id_token"]?.string == idToken)
      #expect(json["access_token"]?.string == (try session.tree.token()))
      #expect(try session.tree.json("token")["id_token"] == nil)
      let variables = try session.tree.agent("exec", "--var", "ID=id_token", "--", "printenv", "ID")
      #expect(variables.outputText == idToken + "\n")
      #expect(try session.issuer.requests() == before)
    }
  }

  @Test func `is renewed with the access token, and kept when a refresh brings none`() throws {
    try Session.with("--claim", "role=admin") { session in
      let access = try session.tree.token()
      _ = try session.tree.token("work", "--id-token", "--force-refresh")
      let idToken = try session.tree.token("work", "--id-token")
      try session.issuer.control("break_id_token", "missing")
      #expect(try session.tree.token("work", "--id-token", "--force-refresh") == idToken)
      #expect(try session.tree.token() != access)
      let role = try session.tree.agent("env", "--shell", "json", "--var", "ROLE=claim:role")
      #expect(role.outputText == #"{"ROLE":"admin"}"# + "\n")
      try session.tree.stopDaemon()
      let after = try session.tree.agent("env", "--shell", "json", "--var", "ROLE=claim:role")
      #expect(after.outputText == role.outputText)
      #expect(try session.tree.files(containing: [idToken]).isEmpty)
    }
  }

  @Test func `is missing where the server gives none`() throws {
    try Session.with { session in
      try session.tree.signIn("plain", at: session.issuer.url, "--scope", "profile")
      let result = try session.tree.agent("token", "plain", "--id-token", "--json")
      #expect(result.failed(1))
      #expect(result.failureCode == "missing_value")
    }
  }

  @Test func `answers the socket only when it is asked for`() throws {
    try Session.with { session in
      let peer = try Peer(session.tree.socketPath)
      func ask(_ members: String) throws -> JSON? {
        let line = try peer.ask(#"{"v":1,"request":"token"\#(members)}"#)
        return try JSON(parsing: Array(line.utf8))["result"]
      }
      let plain = try #require(try ask(""))
      #expect(plain["id_token"] == nil && plain["claims"] == nil)
      let full = try #require(try ask(#","id_token":true,"claims":true"#))
      let idToken = try #require(full["id_token"]?.string)
      #expect(full["claims"] == (try claims(idToken)))
    }
  }
}
