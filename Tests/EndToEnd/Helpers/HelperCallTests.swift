import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A call of a helper` {
  private static let all = [
    "git", "docker", "kubectl", "aws", "keyring", "cargo", "go", "curl", "header", "xoauth2", "oauthbearer", "mcp",
    "gcp",
    "netrc",
  ]

  /// Arguments and standard input of a call for a URL.
  private static func call(_ name: String, at url: String) -> (
    words: [String], input: String, variables: [String: String?]
  ) {
    let uri = try? URI(url)
    switch name {
    case "git": return (["get"], "protocol=\(uri?.scheme ?? "")\nhost=\(uri?.authority ?? "")\n", [:])
    case "docker": return (["get"], url, [:])
    case "keyring": return (["get", url, "me"], "", [:])
    case "go": return ([url], "HTTP/1.1 404 Not Found\r\n\r\n", [:])
    case "cargo": return ([], "", ["CARGO_REGISTRY_INDEX_URL": url])
    case "aws": return (["--url", url, "--role-arn", "arn:aws:iam::123456789012:role/r"], "", [:])
    case "xoauth2", "oauthbearer": return (["--url", url, "--user", "me"], "", [:])
    default: return (["--url", url], "", [:])
    }
  }

  private static func run(
    _ name: String, _ session: Session, at url: String, _ options: [String] = []
  ) throws -> ProcessResult {
    let call = call(name, at: url)
    return try session.tree.agent(["helper", name] + options + call.words, call.variables, input: call.input)
  }

  private static let url = "https://host.example"

  private static func list(_ entry: String, _ session: Session) throws {
    let result = try session.tree.agent("account", "set", "work", "--host", entry)
    try #require(result.succeeded, "\(result.errorText)")
  }

  @Test(arguments: all.filter { $0 != "aws" }) func `gives a token for a listed place, and says nothing else`(
    name: String
  ) throws {
    try Session.with { session in
      try Self.list(Self.url, session)
      let result = try Self.run(name, session, at: Self.url)
      #expect(result.succeeded && !result.output.isEmpty && result.errorText.isEmpty, "\(result.errorText)")
    }
  }

  @Test(arguments: all) func `ends at once where the session is over, and names the command that helps`(name: String)
    throws
  {
    try Session.with { session in
      try Self.list(Self.url, session)
      #expect(try session.tree.agent("logout", "work").succeeded)
      let result = try Self.run(name, session, at: Self.url)
      #expect(!result.succeeded)
      #expect(result.errorText == "agent: error: work is signed out (agent login work)\n")
      let hasOutput = ["git": "quit=1\n", "docker": result.errorText][name]
      if name != "gcp" { #expect(result.outputText == hasOutput ?? "") }
    }
  }

  @Test(arguments: all) func `gives nothing for a place that no account lists`(name: String) throws {
    try Session.with { session in
      let result = try Self.run(name, session, at: Self.url)
      switch name {
      case "git", "go": #expect(result.succeeded && result.output.isEmpty && result.errorText.isEmpty)
      case "docker":
        #expect(result.status == .exited(1) && result.errorText.isEmpty)
        #expect(result.outputText == "credentials not found in native keychain\n")
      case "keyring": #expect(result.failed(1) && result.errorText.isEmpty)
      case "gcp", "cargo": #expect(!result.succeeded)
      default:
        #expect(result.failed(1) && result.errorText.contains("no account may send its token to https://host.example"))
      }
    }
  }

  @Test(arguments: all) func `gives nothing for a place that was written into the settings by hand`(name: String) throws
  {
    try Session.with { session in
      let path = "config/agent/config.json"
      let text = String(decoding: try session.tree.directory.read(path), as: UTF8.self)
      let added = text.replacing("\"client_id\"", with: "\"origins\": [\"\(Self.url)\"], \"client_id\"")
      try #require(added != text)
      try session.tree.directory.write(path, added)
      let token = try session.tree.token()
      let result = try Self.run(name, session, at: Self.url)
      #expect(!result.succeeded && result.errorText.contains("was never confirmed"), "\(result.errorText)")
      #expect(!result.outputText.contains(token))
    }
  }

  @Test(arguments: all) func `refuses a token that is bound to a key`(name: String) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let events = try tree.signIn(at: issuer.url, "--dpop")
        let session = Session(tree: tree, issuer: issuer, events: events)
        try Self.list("\(Self.url) token=access_token", session)
        let result = try Self.run(name, session, at: Self.url)
        let hint = name == "aws" ? "agent account set work --host 'https://" : "agent request --account work"
        #expect(!result.succeeded && result.errorText.contains(hint), "\(result.errorText)")
      }
    }
  }

  @Test func `takes no account by default, and refuses two that fit`() throws {
    try Session.with { session in
      let none = try session.tree.agent("helper", "header")
      #expect(
        none.failed(2)
          && none.errorText
            == "agent: error: neither a URL nor an account is given (choose one: agent helper header --account work)\n",
        "\(none.errorText)")
      // `agent env` exports this variable to all programs in a shell.
      #expect(try session.tree.agent(["helper", "header"], ["AGENT_ACCOUNT": "work"]) == none)
      #expect(try session.tree.agent("helper", "header", "--account", "work").succeeded)
      try session.tree.signIn("home", at: session.issuer.url)
      try Self.list(Self.url, session)
      let own = try Self.run("header", session, at: Self.url)
      let exported = try session.tree.agent(["helper", "header", "--url", Self.url], ["AGENT_ACCOUNT": "home"])
      #expect(own.succeeded && exported.output == own.output, "\(exported.errorText)")
      #expect(try session.tree.agent("account", "set", "home", "--host", Self.url).succeeded)
      let two = try Self.run("header", session, at: Self.url)
      #expect(
        try session.tree.agent(["helper", "header", "--url", Self.url], ["AGENT_ACCOUNT": "home"]).failed(2))
      #expect(two.failed(2) && two.errorText.contains("home") && two.errorText.contains("work"), "\(two.errorText)")
      let token = try session.tree.token("home")
      let named = try Self.run("header", session, at: Self.url, ["--account", "home"])
      #expect(named.outputText == "Authorization: Bearer \(token)\n")
      try Self.list("\(Self.url)/team", session)
      let longer = try Self.run("header", session, at: Self.url + "/team/x")
      #expect(longer.outputText == "Authorization: Bearer \(try session.tree.token())\n")
    }
  }

  @Test func `a hundred times on a token that ends costs one refresh`() throws {
    try TokenServer.with("--access-token-lifetime", "63", keepsToken: true) { server in
      try server.waitUntilEnding()
      let before = try server.session.issuer.count("refreshes")
      let result = try server.run(
        """
        for i in $(seq 100); do agent helper header --timeout 5m --url $URL >out$i & done; wait
        cat out* | sort | uniq -c | tr -s ' ' | cut -d' ' -f2
        """)
      #expect(result.outputText == "100\n", "\(result.errorText)")
      #expect(try server.session.issuer.count("refreshes") == before + 1)
    }
  }

  @Test func `of each kind at once, on a token that has expired, costs one refresh`() throws {
    try TokenServer.with("--access-token-lifetime", "3", keepsToken: true) { server in
      try server.waitUntilEnding(seconds: 0)
      let before = try server.session.issuer.count("refreshes")
      let result = try server.run(
        """
        export CARGO_REGISTRY_INDEX_URL=$URL; long="--timeout 5m"
        for i in $(seq 10); do
          for name in header curl netrc mcp cargo; do agent helper $name $long --url $URL >out.$name$i & done
          agent helper xoauth2 $long --url $URL --user me | base64 -d >out.xoauth2$i & agent helper go $long $URL </dev/null >out.go$i &
          agent helper keyring $long get $URL me >out.keyring$i & echo $HOST | agent helper docker $long get >out.docker$i &
          printf 'protocol=https\nhost=%s\n' "$HOST" | agent helper git $long get >out.git$i &
        done; wait
        grep -lFe "$(agent token work)" out.* | wc -l
        """)
      #expect(result.outputText == "100\n", "\(result.errorText)")
      #expect(try server.session.issuer.count("refreshes") == before + 1)
    }
  }

  @Test func `has an ID Token renewed that has too little time left`() throws {
    try Session.with("--id-token-lifetime", "63") { session in
      try Self.list("\(Self.url) token=id_token", session)
      let first = try Self.run("header", session, at: Self.url)
      #expect(first.succeeded && first.outputText.contains("ey"), "\(first.errorText)")
      try session.issuer.control("id_token_lifetime", "3600")
      Threads.sleep(for: .seconds(5))
      let before = try session.issuer.count("refreshes")
      let second = try Self.run("header", session, at: Self.url)
      #expect(second.succeeded && second.output != first.output, "\(second.errorText)")
      #expect(try session.issuer.count("refreshes") == before + 1)
      #expect(try Self.run("header", session, at: Self.url).output == second.output)
    }
  }

  @Test func `asks for a token of its own where the settings have a scope, a resource or an audience`() throws {
    try Session.with { session in
      try Self.list("\(Self.url) scope=openid", session)
      let result = try Self.run("header", session, at: Self.url)
      #expect(result.succeeded, "\(result.errorText)")
      #expect(result.outputText == "Authorization: Bearer \(try session.tree.token("work", "--scope", "openid"))\n")
      #expect(result.outputText != "Authorization: Bearer \(try session.tree.token())\n")
      for (detail, options) in [
        (
          "resource=https://api.example/a resource=https://api.example/b",
          [
            "--resource", "https://api.example/a", "--resource", "https://api.example/b",
          ]
        ), ("audience=https://api.example", ["--audience", "https://api.example"]),
      ] {
        try Self.list("\(Self.url) \(detail)", session)
        let other = try Self.run("header", session, at: Self.url)
        let wanted = try session.tree.agent(["token", "work"] + options)
        #expect(other.succeeded && wanted.succeeded, "\(other.errorText) \(wanted.errorText)")
        #expect(other.outputText == "Authorization: Bearer \(wanted.outputText)")
        #expect(other.output != result.output)
      }
    }
  }

  @Test func `renews a token that go was refused with, once, and only after 401`() throws {
    try Session.with { session in
      try Self.list(Self.url, session)
      let before = try session.issuer.count("refreshes")
      func call(_ status: String) throws -> ProcessResult {
        try session.tree.agent(["helper", "go", Self.url + "/m"], input: "HTTP/1.1 \(status)\r\nServer: x\r\n\r\n")
      }
      let start = try session.tree.agent("helper", "go")
      #expect(start.outputText == "https://host.example\n\nAuthorization: Bearer \(try session.tree.token())\n\n")
      #expect(try call("404 Not Found").output == start.output)
      #expect(try session.issuer.count("refreshes") == before)
      let renewed = try call("401 Unauthorized")
      #expect(renewed.succeeded && renewed.output != start.output)
      #expect(try call("401 Unauthorized").output == renewed.output)
      #expect(try session.issuer.count("refreshes") == before + 1)
    }
  }

  @Test func `leaves out of a list what two accounts list, and names them`() throws {
    try Session.with { session in
      try session.tree.signIn("home", at: session.issuer.url)
      try Self.list(Self.url, session)
      try Self.list("https://other.example", session)
      try #require(session.tree.agent("account", "set", "home", "--host", Self.url).succeeded)
      func line(_ call: String) -> String {
        "agent: error: work and home may send their tokens to https://host.example (choose one: agent helper \(call) --account work or "
          + "agent helper \(call) --account home)\n"
      }
      let list = try session.tree.agent("helper", "docker", "list")
      #expect(list.succeeded && list.outputText == "{\"https://other.example\":\"oauth2\"}\n")
      #expect(list.errorText == line("docker list"))
      let go = try session.tree.agent("helper", "go")
      let token = try session.tree.token()
      #expect(go.succeeded && go.outputText == "https://other.example\n\nAuthorization: Bearer \(token)\n\n")
      #expect(go.errorText == line("go"))
      let named = try session.tree.agent("helper", "go", "--account", "home")
      #expect(named.outputText == "https://host.example\n\nAuthorization: Bearer \(try session.tree.token("home"))\n\n")
      #expect(named.errorText.isEmpty)
    }
  }

  @Test func `for go says why no place gives a token, and gives those of others`() throws {
    try Session.with { session in
      let nothing = try session.tree.agent("helper", "go")
      #expect(nothing.succeeded && nothing.output.isEmpty && nothing.errorText.isEmpty)
      try session.tree.signIn("home", at: session.issuer.url)
      try Self.list(Self.url, session)
      try #require(session.tree.agent("account", "set", "home", "--host", "https://other.example").succeeded)
      try #require(session.tree.agent("logout", "work").succeeded)
      let one = try session.tree.agent("helper", "go")
      #expect(one.succeeded && one.outputText.hasPrefix("https://other.example\n\n"), "\(one.errorText)")
      try #require(session.tree.agent("logout", "home").succeeded)
      let none = try session.tree.agent("helper", "go")
      #expect(none.failed(3) && none.errorText.hasSuffix(" is signed out (agent login work)\n"), "\(none.errorText)")
    }
  }

  @Test func `says one line that names what helps, however it is called`() throws {
    try Session.with { session in
      for words in [
        ["x"], [], ["git", "--wrong"], ["gcp", "--wrong"], ["header", "--timeout", "x"], ["aws"], ["netrc"],
        ["docker", "x"], ["gcp", "--url"],
      ] {
        let result = try session.tree.agent(["helper"] + words)
        let line = result.errorText
        #expect(!result.succeeded && line.hasPrefix("agent: error: "), "\(words): \(line)")
        #expect(["(agent ", "(use --", "(did you mean "].contains { line.contains($0) }, "\(words): \(line)")
        #expect(line.filter { $0 == "\n" }.count == 1, "\(words): \(line)")
        guard words.first == "gcp" else { continue }
        let answer = try JSON(parsing: result.output)
        #expect(answer["success"] == false && answer["message"]?.string == String(line.dropLast()))
      }
    }
  }

  @Test func `lets git go on where it is not known whether the host is listed`() throws {
    try Session.with { session in
      try Self.list(Self.url, session)
      let config = try session.tree.directory.read("config/agent/config.json")
      try session.tree.directory.write("config/agent/config.json", "{")
      let damaged = try Self.run("git", session, at: "https://other.example")
      #expect(!damaged.succeeded && damaged.output.isEmpty, "\(damaged.outputText)")
      #expect(damaged.errorText.hasPrefix("agent: error: ") && damaged.errorText.filter { $0 == "\n" }.count == 1)
      try session.tree.directory.write("config/agent/config.json", config)
      try session.tree.whileDaemonIsSilent {
        let silent = try Self.run("git", session, at: "https://other.example", ["--timeout", "3s"])
        #expect(silent.failed(4) && silent.output.isEmpty, "\(silent.outputText)")
        #expect(silent.errorText == "agent: error: the daemon did not answer in time (agent doctor)\n")
      }
    }
  }

  @Test func `waits no longer than ten seconds for a caller that does not end its question`() throws {
    try Session.with { session in
      let helper = try session.tree.start(["helper", "git", "get", "--timeout", "2s"])
      #expect(try helper.wait() == .exited(4))
      #expect(helper.errorText.contains("did not finish its request in time"))
    }
  }

  @Test func `ends within ten seconds where the server is silent, and says why`() throws {
    try TokenServer.with("--access-token-lifetime", "63") { server in
      try server.waitUntilEnding()
      try server.session.issuer.silent {
        let result = try server.tree.agent("helper", "header", "--url", server.url)
        #expect(result.failed(4), "\(result.errorText)")
        #expect(try server.tree.isRefreshing(), "the server is still asked")
      }
    }
  }

  @Test func `by the name keyring runs the next of that name for what is not ours`() throws {
    try Session.with { session in
      let made = try ProcessRunner.shell(
        """
        cd '\(session.tree.directory.path)'; mkdir ours theirs; ln -s '\(Programs.path("agent"))' ours/keyring
        printf '#!/bin/sh\\necho "theirs: $*"\\n' >theirs/keyring; chmod 700 theirs/keyring
        """)
      try #require(made.succeeded, "\(made.errorText)")
      try Self.list(Self.url, session)
      let path = "\(session.tree.path("ours")):\(session.tree.path("theirs")):/usr/bin:/bin"
      for words in ["set a b", "del a b", "get other.example me", "--list-backends", "token"] {
        let result = try session.tree.shell("sh", "keyring \(words)", ["PATH": path])
        #expect(result.outputText == "theirs: \(words)\n", "\(result.errorText)")
      }
      let ours = try session.tree.shell("sh", "keyring get \(Self.url) me", ["PATH": path])
      #expect(ours.outputText == "\(try session.tree.token())\n")
      let none = try session.tree.shell("sh", "keyring set a b", ["PATH": "\(session.tree.path("ours")):/usr/bin:/bin"])
      #expect(none.failed(1))
    }
  }

  @Test func `by other names answers git, docker and cargo`() throws {
    try Session.with { session in
      let made = try ProcessRunner.shell(
        "for n in git docker cargo; do ln -s '\(Programs.path("agent"))' '\(session.tree.path("home"))/'$n-credential-work; done"
      )
      try #require(made.succeeded)
      try Self.list(Self.url, session)
      let token = try session.tree.token()
      let git = try session.tree.shell(
        "sh", "printf 'protocol=https\\nhost=host.example\\n' | ./git-credential-work get")
      #expect(git.outputText.hasPrefix("username=oauth2\npassword=\(token)\n"), "\(git.errorText)")
      let docker = try session.tree.shell("sh", "echo host.example | ./docker-credential-work get")
      #expect(try JSON(parsing: docker.output)["Secret"]?.string == token)
      let list = try session.tree.shell("sh", "./docker-credential-work list")
      #expect(list.outputText == "{\"https://host.example\":\"oauth2\"}\n")
      let request =
        #"{"v":1,"registry":{"index-url":"sparse+https://host.example/"},"kind":"get","operation":"read","args":[]}"#
      let cargo = try session.tree.shell(
        "sh", "printf '%s\\n%s\\n' '\(request)' '\(request)' | ./cargo-credential-work --cargo-plugin")
      #expect(cargo.lines.count == 3 && cargo.lines.last?.contains("Bearer \(token)") == true, "\(cargo.errorText)")
      let none = try session.tree.shell("sh", "echo x | ./git-credential-work; ./git-credential-work approve; echo $?")
      #expect(none.outputText == "0\n")
    }
  }
}
