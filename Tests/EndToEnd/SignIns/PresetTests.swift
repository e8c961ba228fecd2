import Encoding
import Platform
import TestSupport
import Testing

/// Accounts and providers that the administrator defined in `/etc/agent`.
@Suite(.needsPrograms, .enabled(if: PresetTests.isPossible, "only root can give a test its own /etc"))
struct `A file of the administrator for all users` {
  /// The command that runs a script with these files below `/etc/agent`.
  private static func command(
    _ files: [String: String], _ script: String, in tree: AgentTree
  ) throws -> [String] {
    for (path, text) in files {
      let place = path.split(separator: "/")
      try tree.directory.open("admin").replaceFile("\(place[0])+\(place[1])", with: Array(text.utf8).span, mode: 0o644)
    }
    return PresetTests.arguments(tree.path("etc"), tree.path("admin"), script)
  }

  private static func run(_ files: [String: String], _ script: String, in tree: AgentTree) throws -> ProcessResult {
    let result = try ProcessRunner.run(
      executable: "/usr/bin/unshare", arguments: command(files, script, in: tree), environment: tree.environment(),
      timeout: .testLimit)
    try #require(result.succeeded, "\(result.errorText)")
    return result
  }

  private static func preset(_ issuer: Issuer, _ more: String = "") -> String {
    #"{"issuer":"\#(issuer.url)","client_id":"agent-cli","scope":["openid","email"],"allow_http_loopback":true"#
      + "\(more)}"
  }

  @Test func `prepares an account that needs no other options, and shows its changes, programs and bad files`() throws {
    try Issuer.with([]) { issuer in
      try AgentTree.with { tree in
        let path = "/etc/agent/accounts.d"
        let result = try Self.run(
          [
            "accounts.d/corp.json": Self.preset(issuer, #","setup":["git --host git.example","go"]"#),
            "accounts.d/bad.json": "{\n\"issuer\": ]",
          ],
          """
          exec 2>&1
          agent help providers | head -2
          agent help providers corp
          agent login corp --device </dev/null
          agent status corp
          agent account set corp --scope openid
          agent status corp
          agent login corp --device </dev/null
          agent login bad --device </dev/null
          agent login crop --device </dev/null
          agent account show corp --json >show; agent status corp --json >status; agent list --json >list
          agent doctor | grep /etc/agent
          """, in: tree)
        let lines = result.lines
        #expect(lines.prefix(3) == ["\(path):", "corp  \(issuer.url)", "corp: \(path)/corp.json"], "\(lines)")
        #expect(lines.count { $0 == "agent: using the settings in \(path)/corp.json" } == 1, "\(lines)")
        let setup = "agent: to set up git and go: agent setup git --host git.example && agent setup go"
        #expect(lines.count { $0 == setup } == 1, "\(lines)")
        #expect(lines.count { $0.hasPrefix("agent: signed in to \(issuer.url)") } == 2, "\(lines)")
        #expect(lines.contains("the settings are those of \(path)/corp.json"), "\(lines)")
        #expect(lines.contains("settings that differ from \(path)/corp.json: scope"), "\(lines)")
        let bad = "\(path)/bad.json:2:11: expected a value, a quoted name, a comma or a bracket"
        #expect(lines.contains("agent: error: \(bad)") && lines.last?.hasSuffix(bad) == true, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("agent: hint: did you mean agent login corp?") }, "\(lines)")
        let preset: JSON = [
          "file": .string("\(path)/corp.json"), "unchanged": ["issuer", "client_id", "allow_http_loopback"],
          "changed": ["scope"],
        ]
        let answers = try JSONAnswers()
        for command in ["account show", "status", "list"] {
          let name = command == "account show" ? "show" : command
          let answer = try JSON(parsing: try tree.directory.read(name))
          #expect((answer["accounts"]?.array?[0] ?? answer)["preset"] == preset, "\(answer)")
          #expect(answers.schema.violations(of: answer, by: command) == [])
        }
      }
    }
  }

  @Test func `that is invalid or that others can change is named by the sign-in that needs it, and by doctor`() throws {
    try AgentTree.with { tree in
      let clients = #"{"gitlab":{"client_id":"a","scope":"api"}}"#
      let result = try Self.run(
        ["accounts.d/corp.json": "{}"],
        """
        exec 2>&1
        printf '%s' '\(clients)' >/etc/agent/clients.json
        chmod 777 /etc/agent/accounts.d
        agent login corp --device </dev/null
        agent login gitlab --device </dev/null
        agent doctor | grep /etc/agent
        """, in: tree)
      let folder = "/etc/agent/accounts.d"
      let remedy = "chmod go-w '\(folder)'"
      let client = "/etc/agent/clients.json:1:36: scope must be a list of at most 64 texts"
      #expect(result.lines.contains { $0.hasPrefix("agent: error: \(folder)") }, "\(result.lines)")
      #expect(result.lines.contains("agent: hint: \(remedy)"), "\(result.lines)")
      #expect(result.lines.contains("agent: error: \(client)"), "\(result.lines)")
      let found = result.lines.suffix(2)
      #expect(found.contains { $0.contains(folder) && $0.hasSuffix("try: \(remedy)") }, "\(result.lines)")
      #expect(found.contains { $0.hasSuffix(client) }, "\(result.lines)")
    }
  }

  @Test func `names programs that login sets up if the user agrees, once`() throws {
    try Issuer.with([]) { issuer in
      for answer in ["", "n"] {
        try AgentTree.with { tree in
          let more = #","origins":["git.example"],"setup":["git --host git.example"]"#
          let script = """
            export AGENT_QR_CODE=never; agent login corp --device
            expand "$HOME/.gitconfig"; agent setup --undo; agent login corp --device </dev/null
            """
          let program = try WatchedProgram(
            tree, columns: 120, rows: 60, [:],
            ["/usr/bin/unshare"]
              + Self.command(["accounts.d/corp.json": Self.preset(issuer, more)], script, in: tree))
          try program.until("Set up git to get tokens? [Y/n]")
          try program.type(answer + "\r")
          try program.until("Sign in again?")
          try program.type("n\r")
          let end = try program.end()
          #expect(end.raw.contains("git https://git.example is set up: ") == answer.isEmpty, "\(end.raw)")
          #expect(end.raw.contains("helper = ") == answer.isEmpty, "\(end.raw)")
          #expect(end.raw.contains("to set up git: agent setup git --host git.example") != answer.isEmpty, "\(end.raw)")
          #expect(end.raw.contains("none of this is set up") != answer.isEmpty, "\(end.raw)")
        }
      }
    }
  }

  private static func provider(_ issuer: Issuer) -> String {
    """
    {
      "title": "Corporation",
      "issuer": "\(issuer.url)",
      "client_id": "agent-cli",
      "scope": ["email"],
      "endpoints": {"token": "/token", "device_authorization": "/device_authorization"},
      "quirks": {"no-metadata": "https://corp.example/documentation"},
      "registration": {"page": "https://corp.example/register", "kind": "native app"}
    }
    """
  }

  @Test func `defines a provider whose rules the daemon uses`() throws {
    try Issuer.with([]) { issuer in
      try AgentTree.with { tree in
        let path = "/etc/agent/providers.d"
        let result = try Self.run(
          [
            "providers.d/corp-id.json": Self.provider(issuer), "providers.d/github.json": "{}",
            "providers.d/bad.json": #"{"isuer":"https://id.example"}"#,
          ],
          """
          exec 2>&1
          agent daemon start --quiet
          agent help providers corp-id
          agent help providers | grep '^corp-id:'
          agent __complete -- login '' | grep corp
          agent login corp-id --allow-http-loopback --device </dev/null
          agent account show corp-id --json >show
          agent login other --provider corp-id --allow-http-loopback --device </dev/null
          agent login corp-ld --device </dev/null
          agent login other --provider corp-ld </dev/null
          agent login bad --device </dev/null
          agent doctor | grep -o '/etc/agent/.*' | sort
          rm \(path)/corp-id.json
          agent status >status
          agent token corp-id --force-refresh
          true
          """, in: tree)
        let lines = result.lines
        #expect(lines.first == "corp-id: Corporation" && lines.count { $0 == "corp-id: Corporation" } == 2, "\(lines)")
        #expect(lines.contains { $0.contains("https://corp.example/register, as native app") }, "\(lines)")
        #expect(lines.contains { $0.contains("agent login corp-id") && !$0.contains("client-id") }, "\(lines)")
        #expect(lines.contains("corp-id"), "\(lines)")
        #expect(lines.count { $0.hasPrefix("agent: signed in to \(issuer.url)") } == 2, "\(lines)")
        #expect(try issuer.count("metadata") == 0)
        let settings = try JSON(parsing: try tree.directory.read("show"))["settings"]
        #expect(settings?["provider"] == "corp-id" && settings?["client_id"] == "agent-cli", "\(settings ?? .null)")
        #expect(lines.contains { $0.contains("did you mean agent login corp-id?") }, "\(lines)")
        #expect(
          lines.contains { $0.contains(#""--provider" does not accept "corp-ld": did you mean "corp-id"?"#) },
          "\(lines)")
        let bad = "\(path)/bad.json:1:10: unknown member isuer; did you mean \"issuer\"?"
        let builtIn = "\(path)/github.json:1:1: the provider github is built in; give the file another name"
        #expect(
          lines.contains("agent: error: \(bad)") && lines.contains { $0 == bad } && lines.contains { $0 == builtIn })
        #expect(
          lines.last { $0.hasPrefix("agent: error:") } == #"agent: error: unknown provider "corp-id""#, "\(lines)")
      }
    }
  }
}

private enum PresetTests {
  static func arguments(_ overlay: String, _ files: String, _ script: String) -> [String] {
    let mount = """
      set -e
      mkdir -p "$0/upper" "$0/work"
      mount -t overlay overlay -o "lowerdir=/etc,upperdir=$0/upper,workdir=$0/work" /etc
      mkdir -p /etc/agent/accounts.d /etc/agent/providers.d
      for file in "$1"/*+*; do cp "$file" "/etc/agent/$(basename "$file" | tr + /)"; done
      set +e
      cd "$(dirname "$1")"
      eval "$2"
      """
    return ["--mount", "/bin/sh", "-c", mount, overlay, files, script]
  }

  static let isPossible: Bool = {
    guard Machine.userID == 0, let directory = try? TemporaryDirectory(),
      (try? directory.write("accounts.d+x", [])) != nil
    else { return false }
    let words = arguments(directory.path("etc"), directory.path, "true")
    return (try? ProcessRunner.run(executable: "/usr/bin/unshare", arguments: words))?.succeeded ?? false
  }()
}
