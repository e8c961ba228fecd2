import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms) struct `A lease` {
  /// The output of `agent serve`, with the environment of its peers.
  private final class Served {
    let process: RunningProcess
    let path: String
    var environment: [String: String?] { ["AGENT_SOCKET": path] }

    init(_ tree: AgentTree, _ restrictions: [String], account: String = "work") throws {
      process = try tree.start(["serve", account] + restrictions)
      path = try process.readLine()
    }
  }

  private static func with(
    _ restrictions: (Resource) -> [String] = { _ in [] },
    answering answer: @escaping @Sendable (ReceivedRequest) -> (status: Int, headers: [String], body: String) = {
      (200, [], "\($0.line) \($0.body)")
    },
    _ body: (Resource, Served) throws -> Void
  ) throws {
    try Resource.answering(answer) { resource in
      try body(resource, Served(resource.tree, restrictions(resource)))
    }
  }

  private static func events(_ tree: AgentTree) throws -> [JSON] {
    try tree.agent("events", "--lease", "--json").lines.map { try JSON(parsing: Array($0.utf8)) }
  }

  // MARK: Permitted requests

  @Test func `lets a command make requests, and gives it no token`() throws {
    try Resource.answering({ (200, [], "hello \($0.values("Authorization").count)") }) { resource in
      let script = """
        env | grep -c '^AGENT_' ; test -z "$AGENT_ACCESS_TOKEN$AGENT_TOKEN_FILE" || exit 9
        agent request \(resource.server.url("/x")) || exit 8
        agent request --data text \(resource.server.url("/x")) || exit 7
        exit 42
        """
      let result = try resource.tree.agent(
        ["exec", "--lease", "work", "--", "sh", "-c", script],
        ["AGENT_ACCESS_TOKEN": "old", "AGENT_TOKEN_FILE": "/tmp/old", "AGENT_ISSUER": "old"])
      #expect(result.status == .exited(42), "\(result.errorText)")
      #expect(result.outputText == "1\nhello 1hello 1", "\(result.outputText)")
      #expect(try resource.tree.shell("sh", "ls \"$XDG_RUNTIME_DIR/agent/leases\"").outputText.isEmpty)
    }
  }

  @Test func `leaves no token in the command's environment, and no variable that an account gives one`() throws {
    try Resource.answering({ (200, [], $0.line) }) { resource in
      let tree = resource.tree
      try #require(tree.agent("account", "set", "work", "--var", "GH_TOKEN=access_token").succeeded)
      let token = try tree.token("work")
      let encoded = token.utf8.map { byte in
        let digits = String(byte, radix: 16)
        return "%" + (digits.utf8.count == 1 ? "0" : "") + digits
      }
      let held = [
        "ITSELF": token, "HEADER": "Authorization: Bearer \(token)", "ADDRESS": "https://api.example/?t=\(token)&x=1",
        "ENCODED": "https://api.example/?t=\(encoded.joined())", "JSON": #"{"token":"\#(token)"}"#,
        "GH_TOKEN": "an earlier one", "AGENT_OTHER": "x", "AGENT_SOCKET_USER": "\(Machine.userID)",
      ]
      let kept = ["PART": String(token.dropLast()), "LONG": String(repeating: "x", count: 100_000), "EMPTY": ""]
      let many = Dictionary(uniqueKeysWithValues: (0..<4).map { ("MANY\($0)", String(repeating: "y", count: 90_000)) })
      let environment = held.merging(kept) { $1 }.merging(many) { $1 }
      let result = try tree.agent(["exec", "--lease", "work", "--", "env"], environment.mapValues { .some($0) })
      try #require(result.succeeded, "\(result.errorText)")
      let names = Set(result.outputText.split(separator: "\n").map { String($0.prefix { $0 != "=" }) })
      #expect(names.isDisjoint(with: held.keys), "\(names.intersection(held.keys))")
      #expect(names.isSuperset(of: kept.keys) && names.isSuperset(of: many.keys) && names.contains("AGENT_SOCKET"))
      #expect(!result.outputText.contains(token + "\n") && !result.outputText.contains("Bearer"))
    }
  }

  @Test func `of a command whose environment cannot be checked does not start it`() throws {
    try Session.with { session in
      let tree = session.tree
      try #require(tree.agent("account", "set", "work", "--host", "https://api.example").succeeded)
      let vault = try tree.shell("sh", "ls \"$XDG_STATE_HOME\"/agent/vault.????????????????").outputText.dropLast()
      _ = try tree.agent("daemon", "stop")
      try #require(tree.shell("sh", "chmod 644 '\(vault)'").succeeded)
      let result = try tree.agent(["exec", "--lease", "work", "--", "echo", "started"])
      #expect(!result.succeeded && result.outputText.isEmpty, "\(result.outputText)")
    }
  }

  @Test(arguments: [
    ["token"], ["token", "work"], ["list"], ["status"], ["whoami"], ["proof", "https://example.com/"],
    ["logout", "--all"],
    ["use", "work"], ["account", "show", "work"], ["lock"], ["vault", "status"], ["daemon", "stop"], ["daemon", "log"],
    ["events"], ["events", "--lease"], ["events", "--follow"], ["exec", "--", "true"], ["serve"], ["env"],
    ["account", "set", "work", "--host", "evil.example"], ["account", "remove", "work"],
    ["exec", "--token-file", "--", "true"],
  ])
  func `permits nothing else`(words: [String]) throws {
    try Self.with { resource, served in
      let result = try resource.tree.agent(["--json"] + words, served.environment)
      #expect(result.failed(6) && result.failureCode == "not_permitted", "\(result.outputText) \(result.errorText)")
      #expect(try resource.tree.json("list")["accounts"]?.array?.count == 1)
      #expect(try !resource.tree.token().isEmpty)
    }
  }

  @Test func `is told for one by doctor`() throws {
    try Self.with { resource, served in
      let result = try resource.tree.agent(["doctor"], served.environment)
      let line = "\(served.path) is the socket of a lease"
      #expect(result.succeeded && result.outputText.contains(line), "\(result.outputText)")
      #expect(!result.outputText.contains("restart"), "\(result.outputText)")
    }
  }

  @Test func `refuses in the same words what the daemon knows and what it does not`() throws {
    try Self.with { resource, served in
      let lines = [
        #"{"v":1,"request":"token"}"#, #"{"v":1,"request":"token","account":"work","extra":[1]}"#,
        #"{"v":1,"request":"no such thing"}"#, #"{"v":1,"request":"use"}"#, #"{"v":1,"request":"login_redirect"}"#,
        #"{"v":1,"request":"lease","account":"work"}"#, #"{"v":2,"request":"token"}"#, #"{"v":1,"request":7}"#,
        #"{"v":1}"#, "[]", "not json", #"{"v":1,"request":"daemon_stop","verbose":true}"#,
        #"{"v":1,"request":"token","request":"resource"}"#,
      ]
      let peer = try Peer(served.path)
      let answers = try lines.map { try peer.ask($0) }
      #expect(Set(answers).count == 1, "\(answers)")
      #expect(answers[0].contains("not_permitted"), "\(answers[0])")
      let terms = try JSON(parsing: Array(peer.ask(#"{"v":1,"request":"lease_status"}"#).utf8))
      #expect(terms["result"]?["lease"]?.string?.utf8.count == 16 && terms["result"]?["account"] == nil, "\(terms)")
      let own = try Peer(resource.tree.socketPath).ask(#"{"v":1,"request":"lease_status"}"#)
      #expect(own.contains("invalid_request"), "\(own)")
    }
  }

  /// The requests of the protocol, by the headings of its page.
  private static func requestsOfManual() throws -> [String] {
    let page = "\(PackageFiles.path("man/agent-protocol."))7"
    let names = try ProcessRunner.shell("sed -n '/^.Sh REQUESTS/,/^.Sh EVENTS/s/^.Ss //p' '\(page)'").lines
    try #require(names.count > 40)
    return names.map(String.init)
  }

  @Test func `gives each request of the protocol, with all its members, no more than what was lent`() throws {
    try Self.with({ ["--only", $0.server.url("/lent/"), "--method", "GET"] }) { resource, served in
      let peer = try Peer(served.path)
      let members = """
        "account":"work","new_name":"other","url":"\(resource.server.url("/lent/../secret"))","method":"GET",\
        "issuer":"\(resource.session.issuer.url)","client_id":"agent-cli","login":"0f","role_arn":"arn","name":"token-0",\
        "role_session_name":"a","scope":["openid"],"all":true,"local":true,"force_refresh":true,"id_token":true,\
        "claims":true,"variables":true,"check":true,"leases":true,"admin":true,"__proto__":{},"isLent":true,"is_lent":true
        """
      for name in try Self.requestsOfManual() {
        for extra in ["", "," + members, #","isLent":true,"is_lent":true,"verbose":true"#] {
          let answer = try peer.ask(#"{"v":1,"request":"\#(name)"\#(extra)}"#)
          for secret in [
            "access_token", "refresh_token", "proof\":", "agent-cli", #""work""#, resource.session.issuer.url,
          ] {
            #expect(!answer.contains(secret), "\(name): \(answer)")
          }
          let isOfLease = ["resource", "resource_body", "lease_status"].contains(name)
          #expect(isOfLease || answer.contains("not_permitted"), "\(name): \(answer)")
        }
      }
      #expect(resource.server.requests.isEmpty, "\(resource.server.requests.map(\.line))")
      #expect(try resource.tree.json("list")["accounts"]?.array?.count == 1)
    }
  }

  @Test func `gives nothing to peers that bring descriptors, cut their lines, or stay after its end`() throws {
    try Self.with({ _ in ["--times", "1"] }) { resource, served in
      let own = try resource.tree.token()
      let file = try FileDescriptor(opening: "/dev/null", for: .reading)
      let bringing = try Peer(served.path)
      for name in ["token", "lease", "vault_unlock", "account_import", "verify", "lease_status"] {
        try bringing.send(#"{"v":1,"request":"\#(name)","body_descriptor":true}"# + "\n", passing: file)
        let answer = try #require(try bringing.readLine())
        #expect(name == "lease_status" || answer.contains("not_permitted"), "\(name): \(answer)")
      }
      // Halves of two requests form one invalid line.
      let cut = try Peer(served.path)
      _ = try cut.send(Array(#"{"v":1,"request":"lease_status""#.utf8))
      let answer = try cut.ask(#"{"v":1,"request":"token"}"#)
      #expect(answer.contains("not_permitted"), "\(answer)")
      let staying = try (0..<20).map { _ in try Peer(served.path) }
      #expect(try resource.tree.agent(["request", resource.server.url()], served.environment).succeeded)
      #expect(try served.process.wait() == .exited(0))
      for peer in staying + [bringing, cut] {
        var lines: [String] = []
        _ = try peer.send(
          Array((#"{"v":1,"request":"resource","url":"\#(resource.server.url())","inline":true}"# + "\n").utf8))
        while let line = try peer.readLine() { lines.append(line) }
        #expect(lines.allSatisfy { $0.contains("lease_ended") } && !lines.joined().contains(own), "\(lines)")
      }
      #expect(resource.server.requests.count == 1)
    }
  }

  @Test func `keeps the account's name and its hints to itself`() throws {
    try Self.with(answering: { _ in (401, ["WWW-Authenticate: Bearer"], "no") }) { resource, served in
      let refused = try resource.tree.agent(
        ["request", resource.server.url(), "--json", "--output", "/dev/null"], served.environment)
      #expect(
        refused.status == .exited(3) && refused.outputText.contains(#""account":"lease""#), "\(refused.outputText)")
      #expect(!refused.errorText.contains("work"), "\(refused.errorText)")
      let foreign = try resource.tree.agent(["request", "https://evil.example/x"], served.environment)
      #expect(!foreign.succeeded && !foreign.errorText.contains("work"), "\(foreign.errorText)")
      let named = try resource.tree.agent(
        ["request", "--account", "work", resource.server.url(), "--json", "--output", "/dev/null"], served.environment)
      #expect(named.failureCode == "not_permitted", "\(named.errorText)")
    }
  }

  // MARK: The token itself

  @Test func `gives the narrow token where that was said, and tells nothing of whose it is`() throws {
    try Self.with({ _ in ["--hand-out-token", "--scope", "openid"] }) { resource, served in
      let own = try resource.tree.token()
      let lent = try resource.tree.agent(["token", "--json"], served.environment)
      let answer = try JSON(parsing: lent.output)
      #expect(answer["access_token"]?.string.map { $0 != own && !$0.isEmpty } == true, "\(lent.errorText)")
      #expect(answer["scope"] == "openid")
      #expect(!lent.outputText.contains("work") && !lent.outputText.contains(resource.session.issuer.url))
      for words in [
        ["token", "work"], ["token", "--force-refresh"], ["token", "--id-token"], ["token", "--scope", "x"],
      ] {
        #expect(try resource.tree.agent(words, served.environment).failed(6), "\(words)")
      }
      #expect(try Self.events(resource.tree).contains { $0["event"] == "lease_token" })
    }
  }

  @Test func `gives no token that is bound to a key, and none without a scope of its own`() throws {
    try Session.with { session in
      let tree = session.tree
      try tree.signIn(at: session.issuer.url, "--dpop", "--host", "http://127.0.0.1:1")
      #expect(try tree.agent(["serve", "work", "--hand-out-token"]).failed(2))
      let served = try Served(tree, ["--hand-out-token", "--scope", "openid"])
      let refused = try tree.agent(["token", "--json"], served.environment)
      #expect(refused.failureCode == "not_permitted", "\(refused.errorText)")
    }
  }

  // MARK: The user's confirmation

  @Test(arguments: [("exit 0", 0), ("exit 1", 6)] as [(String, Int32)])
  func `asks by a program before the first request to each origin, and keeps to the answer`(
    answer: String, status: Int32
  ) throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let tree = resource.tree
      try tree.directory.writeProgram(
        "ask", "printf '%s %s\\n' \"$SSH_ASKPASS_PROMPT\" \"$1\" >> '\(tree.path("asked"))'\n\(answer)")
      let script = "for i in 1 2 3; do agent request \(resource.server.url()) || failed=$?; done; exit ${failed:-0}"
      let result = try tree.agent(
        ["exec", "--lease", "--confirm", "--askpass", tree.path("ask"), "work", "--", "sh", "-c", script])
      #expect(result.status == .exited(status), "\(result.errorText)")
      let asked = try tree.directory.readText("asked")
      #expect(asked.split(separator: "\n").count == 2, "\(asked)")
      #expect(asked.hasPrefix("confirm Lease of the account work") && asked.contains(resource.server.url("")))
    }
  }

  @Test func `asks on the terminal, and goes on for all others until it is answered`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let tree = resource.tree
      let program = try WatchedProgram(
        tree, columns: 400, [:],
        [try Programs.path("agent"), "serve", "--confirm", "--times", "1", "--socket", tree.path("runtime/s"), "work"])
      _ = try program.until("runtime/s")
      let asks = try tree.start(["request", resource.server.url()], ["AGENT_SOCKET": tree.path("runtime/s")])
      _ = try program.until("Allow?")
      let terms = try Peer(tree.path("runtime/s")).ask(#"{"v":1,"request":"lease_status"}"#)
      #expect(terms.contains("places"), "\(terms)")
      try program.type("y")
      try program.type("^M")
      #expect(try asks.wait() == .exited(0))
      let end = try program.end()
      #expect(end.status == 0, "\(end.rows)")
    }
  }

  @Test func `is described on the terminal, also if the path of its socket is not printed there`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let tree = resource.tree
      let agent = try Programs.path("agent")
      let program = try WatchedProgram(
        tree, columns: 200, [:], ["/bin/sh", "-c", "exec '\(agent)' serve work >'\(tree.path("path"))'"])
      try program.until("to use it: AGENT_SOCKET=")
      try program.until("the lease ends when you press Ctrl-C")
      try program.type("^C")
      #expect(try program.end().status == 0)
    }
  }

  @Test func `takes nothing for an answer that was typed before the question`() throws {
    try Resource.answering({ _ in (200, [], "answer") }) { resource in
      let tree = resource.tree
      let program = try WatchedProgram(
        tree, columns: 400, [:],
        [try Programs.path("agent"), "serve", "--confirm", "--socket", tree.path("runtime/s"), "work"])
      _ = try program.until("runtime/s")
      try program.type("y")
      try program.type("^M")
      let asks = try tree.start(["request", resource.server.url()], ["AGENT_SOCKET": tree.path("runtime/s")])
      _ = try program.until("Allow?")
      try program.type("n")
      try program.type("^M")
      #expect(try asks.wait() == .exited(6))
      try program.type("^C")
      _ = try program.end()
    }
  }

  @Test func `is not given where there is no way to ask`() throws {
    try Session.with { session in
      let result = try session.tree.agent(["exec", "--lease", "--confirm", "work", "--", "true"])
      #expect(result.failed(2) && result.errorText.contains("--askpass"), "\(result.errorText)")
      #expect(try session.tree.agent(["serve", "--askpass", "/bin/true"]).failed(2))
    }
  }

  // MARK: Restrictions

  @Test func `holds to its paths, however they are written`() throws {
    try Self.with({ ["--only", $0.server.url("/api/notes")] }) { resource, served in
      let tree = resource.tree
      for path in ["/api/notes", "/api/notes/", "/api/notes/1?all=..%2f..", "/api/notes/a.b"] {
        let result = try tree.agent(["request", resource.server.url(path)], served.environment)
        #expect(result.succeeded, "\(path): \(result.errorText)")
      }
      let seen = resource.server.requests.count
      for path in [
        "/", "/api", "/api/notesx", "/api/notes/../user", "/api/notes/%2e%2e/user", "/api/notes/.%2E/user",
        "/api/notes/..%2fuser", "/api/notes/..%5cuser", "/api/notes//../../user", "/api/notes//user",
        "/api/notes/%252e",
        "/api/notes;/../user", "/API/notes", "/x/api/notes", "/api/notes/%00",
      ] {
        let result = try tree.agent(
          ["request", resource.server.url(path), "--json", "--output", "/dev/null"], served.environment)
        #expect(!result.succeeded, "\(path)")
        #expect(
          ["not_permitted", "invalid_request"].contains(result.failureCode ?? ""), "\(path): \(result.errorText)")
      }
      for header in ["X-Original-URL: /user", "X-Rewrite-URL: /user", "x-original-url: /user"] {
        let result = try tree.agent(
          ["request", resource.server.url("/api/notes"), "-H", header, "--json", "--output", "/dev/null"],
          served.environment)
        #expect(result.failureCode == "not_permitted", "\(header): \(result.errorText)")
      }
      #expect(resource.server.requests.count == seen, "\(resource.server.requests)")
    }
  }

  @Test func `follows no redirect out of its paths`() throws {
    try Self.with(
      { ["--only", $0.server.url("/api")] },
      answering: { $0.line.contains("/api") ? (302, ["Location: /user"], "moved") : (200, [], "secret") }
    ) { resource, served in
      let result = try resource.tree.agent(["request", resource.server.url("/api/x")], served.environment)
      #expect(result.outputText == "moved", "\(result.outputText) \(result.errorText)")
      #expect(resource.server.requests.count == 1)
    }
  }

  @Test func `holds to its methods and its places`() throws {
    try Self.with({ ["--only", $0.server.url(), "--method", "GET", "--method", "HEAD"] }) { resource, served in
      let (tree, url) = (resource.tree, resource.server.url("/x"))
      #expect(try tree.agent(["request", url], served.environment).succeeded)
      let quiet = ["--json", "--output", "/dev/null"]
      for words in [
        ["POST", url], ["-X", "DELETE", url], ["--data", "x", url], ["-X", "get", url], ["-X", "GETX", url],
        ["-H", "X-HTTP-Method-Override: DELETE", url], ["-H", "x-method-override: PUT", url],
        ["http://localhost:\(resource.server.port)/x"], ["https://evil.example/"],
      ] {
        let result = try tree.agent(["request"] + words + quiet, served.environment)
        #expect(!result.succeeded, "\(words)")
        #expect(
          ["not_permitted", "invalid_request"].contains(result.failureCode ?? ""), "\(words): \(result.errorText)")
      }
      #expect(resource.server.requests.count == 1, "\(resource.server.requests)")
    }
  }

  @Test func `sends the token that it was given for, whatever a peer asks for`() throws {
    // A returned token ends the response, so it is returned backwards.
    try Self.with(
      { _ in ["--scope", "openid"] },
      answering: { (200, [], String(($0.values("Authorization").first ?? "-").reversed())) }
    ) { resource, served in
      let url = resource.server.url()
      let narrow = try resource.tree.agent(["request", url], served.environment)
      #expect(narrow.succeeded, "\(narrow.errorText)")
      #expect(String(narrow.outputText.reversed()) != "Bearer \(try resource.tree.token())")
      let asked = try resource.tree.agent(
        ["request", url, "--scope", "offline_access", "--json", "--output", "/dev/null"], served.environment)
      #expect(asked.failureCode == "not_permitted", "\(asked.errorText)")
      let same = try resource.tree.agent(["request", url, "--scope", "openid"], served.environment)
      #expect(same.outputText == narrow.outputText, "\(same.errorText)")
    }
  }

  @Test(
    arguments: [
      (["--only", "https://evil.example"], 1, "origin_not_allowed"), (["--only", "not a place"], 2, "invalid_request"),
      (["--only", "https://evil.example/?x"], 2, "invalid_request"), (["--method", "TRACE"], 2, "invalid_request"),
      (["--times", "0"], 2, "invalid_request"), (["--times", "many"], 2, "invalid_request"),
      (["--for", "9d"], 2, "invalid_request"), (["--socket", "relative"], 2, "invalid_request"),
      (["--no-daemon"], 2, "invalid_request"), (["--scope", "\""], 1, "invalid_configuration"),
    ] as [([String], Int32, String)])
  func `cannot be given for what is no place, method, time or number`(
    words: [String], status: Int32, code: String
  ) throws {
    try Session.with { session in
      let result = try session.tree.agent(["serve", "work"] + words + ["--json"])
      #expect(result.failed(status) && result.failureCode == code, "\(result.errorText)")
      #expect(try session.tree.shell("sh", "ls \"$XDG_RUNTIME_DIR/agent/leases\" 2>/dev/null").outputText.isEmpty)
    }
  }

  // MARK: Ends

  @Test func `ends after so many requests, and says so`() throws {
    try Self.with({ _ in ["--times", "2"] }) { resource, served in
      let url = resource.server.url()
      for _ in 0..<2 { #expect(try resource.tree.agent(["request", url], served.environment).succeeded) }
      #expect(try served.process.wait() == .exited(0))
      #expect(served.process.errorText.contains("its maximum number of uses"), "\(served.process.errorText)")
      let late = try resource.tree.agent(["request", url, "--json", "--output", "/dev/null"], served.environment)
      #expect(late.failed(4) && late.failureCode == "daemon_unavailable", "\(late.errorText)")
      #expect(resource.server.requests.count == 2)
      #expect(try Self.events(resource.tree).last?["cause"] == "uses")
    }
  }

  @Test func `leaves no socket for longer than to the next start, when its command was killed`() throws {
    try Self.with { resource, alive in
      let tree = resource.tree
      func sockets() throws -> Set<String> {
        Set(try tree.shell("sh", "ls -d \"$XDG_RUNTIME_DIR\"/agent/leases/*/agent.sock").lines.map { String($0) })
      }
      /// A lease whose command is killed. The daemon, which listens too, ends after it.
      func kill() throws -> String {
        let served = try Served(tree, [])
        #expect(try served.process.terminate(Signals.SIGKILL) == .signalled(Signals.SIGKILL))
        try tree.stopDaemon()
        #expect(try sockets().contains(served.path))
        return served.path
      }
      _ = try kill()
      let next = try Served(tree, [])
      #expect(try sockets() == [alive.path, next.path], "removed by the next lease")
      let killed = try kill()
      #expect(try tree.agent("token").succeeded)
      let deadline = Instant.now.advanced(by: .testLimit)
      while try sockets().contains(killed), Instant.now < deadline { Threads.sleep(for: .milliseconds(10)) }
      #expect(try sockets() == [alive.path, next.path], "removed by the next daemon")
      for served in [alive, next] {
        while try !tree.agent(["request", resource.server.url("/x")], served.environment).succeeded {
          try #require(Instant.now < deadline)
        }
      }
    }
  }

  @Test func `ends with its time, in the middle of a request too`() throws {
    let isHeld = Monitor(true)
    try Self.with(
      { _ in ["--for", "10s"] },
      answering: { _ in
        _ = isHeld.wait(nil) { $0 ? nil : true }
        return (200, [], "late")
      }
    ) { resource, served in
      let result = try resource.tree.agent(
        ["request", resource.server.url(), "--json", "--output", "/dev/null"], served.environment)
      #expect(result.failureCode == "lease_ended" && result.status == .exited(6), "\(result.errorText)")
      #expect(try served.process.wait() == .exited(0))
      isHeld.withLock { $0 = false }
      #expect(try Self.events(resource.tree).last?["cause"] == "time")
    }
  }

  @Test(arguments: [["logout", "work"], ["account", "remove", "work"]])
  func `ends with the session`(words: [String]) throws {
    try Self.with { resource, served in
      let peer = try Peer(served.path)
      #expect(try peer.ask(#"{"v":1,"request":"lease_status"}"#).contains("lease"))
      #expect(try resource.tree.agent(words).succeeded)
      #expect(try served.process.wait() == .exited(3))
      #expect(try peer.readLine() == nil)
    }
  }

  @Test func `goes on at the next daemon, with what is left of it`() throws {
    try Self.with({ _ in ["--times", "3"] }) { resource, served in
      let url = resource.server.url()
      func request() throws {
        let deadline = Instant.now.advanced(by: .testLimit)
        while true {
          let result = try resource.tree.agent(["request", url], served.environment)
          if result.succeeded { return }
          try #require(result.failed(4) && Instant.now < deadline, "\(result.errorText)")
        }
      }
      try request()
      #expect(try resource.tree.agent("daemon", "restart").succeeded)
      try request()
      try resource.tree.killDaemon()
      try request()
      #expect(try served.process.wait() == .exited(0))
      #expect(resource.server.requests.count == 3)
    }
  }

  @Test func `is gone with its command, and its socket too`() throws {
    try Self.with { resource, served in
      try served.process.signal(Signals.SIGTERM)
      #expect(try served.process.wait() == .exited(0))
      let late = try resource.tree.agent(["request", resource.server.url()], served.environment)
      #expect(late.failed(4) && late.errorText.contains("(AGENT_SOCKET)"), "\(late.errorText)")
      #expect(try resource.tree.daemons().count == 1)
      #expect(try Self.events(resource.tree).last?["cause"] == "closed")
    }
  }

  @Test func `answers while the account is locked that it is, and goes on after`() throws {
    let server = try LoopbackServer { while try $0.readRequest() != nil { try $0.respond(body: "open") } }
    try LockedHome.with { home in
      try home.run("account", "set", "shut", "--host", "http://127.0.0.1:\(server.port)")
      let served = try Served(home.tree, [], account: "shut")
      try home.run("lock")
      let result = try home.tree.agent(
        ["request", server.url(), "--json", "--output", "/dev/null"], served.environment)
      #expect(result.failed(5) && !result.errorText.contains("shut"), "\(result.errorText)")
      try home.unlock()
      #expect(try home.tree.agent(["request", server.url()], served.environment).outputText == "open")
    }
  }

  // MARK: Sockets that pass no descriptors

  /// Forwards bytes between a new socket and that of a lease, and nothing else, like a forwarded socket.
  private static func forward(_ served: Served, _ tree: AgentTree) throws -> (RunningProcess, [String: String?]) {
    let path = tree.path("runtime/forwarded.sock")
    let script = """
      import socket, sys, threading
      listener = socket.socket(socket.AF_UNIX); listener.bind(sys.argv[2]); listener.listen(64); print("ready", flush=True)
      def copy(source, sink):
          try:
              while data := source.recv(65536): sink.sendall(data)
              sink.shutdown(socket.SHUT_WR)
          except OSError: pass
      while True:
          near = listener.accept()[0]
          far = socket.socket(socket.AF_UNIX); far.connect(sys.argv[1])
          for pair in ((near, far), (far, near)): threading.Thread(target=copy, args=pair, daemon=True).start()
      """
    let process = try RunningProcess(
      executable: "/usr/bin/python3", arguments: ["-c", script, served.path, path], environment: tree.environment())
    _ = try process.readLine()
    return (process, ["AGENT_SOCKET": path])
  }

  @Test func `works over a forwarded socket, with bodies of any size`() throws {
    let big = String(repeating: "0123456789abcdef", count: 400_000)
    try Self.with(answering: { $0.line.contains("/big") ? (200, [], big) : (200, [], "\($0.line) \($0.body)") }) {
      resource, served in
      let (process, environment) = try Self.forward(served, resource.tree)
      let tree = resource.tree
      let plain = try tree.agent(["request", resource.server.url("/x")], environment)
      #expect(plain.outputText.hasPrefix("GET /x"), "\(plain.errorText)")
      let sent = try tree.agent(["request", "--data", "@-", resource.server.url("/x")], environment, input: "text")
      #expect(sent.outputText.hasPrefix("POST /x") && sent.outputText.hasSuffix(" text"), "\(sent.errorText)")
      let answer = try tree.agent(["request", resource.server.url("/big")], environment)
      #expect(answer.succeeded && answer.output == Array(big.utf8), "\(answer.output.count) \(answer.errorText)")
      let most = String(repeating: "x", count: 720 << 10)
      try tree.directory.write("home/most", most)
      let long = try tree.agent(
        ["request", "--data", "@" + tree.path("home/most"), resource.server.url("/x")], environment)
      #expect(long.succeeded && long.output.count > most.utf8.count, "\(long.errorText)")
      try tree.directory.write("home/more", most + "x")
      let more = try tree.agent(
        ["request", "--data", "@" + tree.path("home/more"), resource.server.url("/x")], environment)
      #expect(more.succeeded && more.output.count == long.output.count + 1, "\(more.errorText)")
      #expect(try process.terminate(Signals.SIGKILL) == .signalled(Signals.SIGKILL))
    }
  }

  @Test func `passes a body that breaks off up to there, in lines too`() throws {
    let part = String(repeating: "0123456789abcdef", count: 100_000)
    try Resource.with(serve: { conversation in
      _ = try conversation.readRequest()
      try conversation.write("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + part)
    }) { resource in
      let served = try Served(resource.tree, [])
      let (process, forwarded) = try Self.forward(served, resource.tree)
      for environment in [["AGENT_SOCKET": served.path], forwarded] {
        let result = try resource.tree.agent(["request", resource.server.url()], environment)
        #expect(!result.succeeded && result.output == Array(part.utf8), "\(result.output.count) \(result.errorText)")
      }
      #expect(try process.terminate(Signals.SIGKILL) == .signalled(Signals.SIGKILL))
    }
  }

  @Test func `holds back what an inline peer does not read, and serves others meanwhile`() throws {
    let big = String(repeating: "0123456789abcdef", count: 1_000_000)
    try Self.with(answering: { $0.line.contains("/big") ? (200, [], big) : (200, [], "small") }) { resource, served in
      let slow = try Peer(served.path)
      _ = try slow.send(
        Array(#"{"v":1,"request":"resource","url":"\#(resource.server.url("/big"))","inline":true}"#.utf8) + [0x0A])
      #expect(try slow.readLine()?.contains("response") == true)
      #expect(try resource.tree.agent(["request", resource.server.url()], served.environment).outputText == "small")
      var bytes = 0
      while let line = try slow.readLine() {
        let event = try JSON(parsing: Array(line.utf8))
        guard let text = event["base64"]?.string else {
          #expect(event["result"]?["body_bytes"]?.int == big.utf8.count, "\(line)")
          break
        }
        bytes += text.utf8.count / 4 * 3 - text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
      }
      #expect(bytes == big.utf8.count)
    }
  }

  @Test func `sends over a forwarded socket what comes out of a pipe, whole and in order`() throws {
    let big = (0..<600_000).map { "\($0 % 10_000 + 10_000)\n" }.joined()
    let received = Monitor<[UInt8]>([])
    let serve: @Sendable (Conversation) throws -> Void = { conversation in
      var bytes: [UInt8] = []
      while !bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8) { bytes += try #require(try conversation.readBytes()) }
      let all = bytes
      received.update { $0 = all }
      try conversation.respond(headers: ["Connection: close"], body: "done")
    }
    try Resource.with(serve: serve) { resource in
      let served = try Served(resource.tree, [])
      let (process, environment) = try Self.forward(served, resource.tree)
      let result = try resource.tree.agent(
        ["request", "PUT", "--data", "@-", resource.server.url("/x")], environment, input: big)
      #expect(result.outputText == "done", "\(result.errorText)")
      // Each line that no chunk boundary cuts, and everything else.
      let sent = Set(big.split(separator: "\n"))
      let lines = String(decoding: received.withLock { $0 }, as: UTF8.self).split { $0 == "\n" || $0 == "\r\n" }
      let whole = lines.filter { sent.contains($0) }
      #expect(whole.count > 599_000 && whole.count <= 600_000, "\(whole.count)")
      #expect(try process.terminate(Signals.SIGKILL) == .signalled(Signals.SIGKILL))
    }
  }

  @Test func `does not say that a body is whole whose peer went in the middle of it`() throws {
    let received = Monitor<(bytes: [UInt8], isOver: Bool)>(([], false))
    let serve: @Sendable (Conversation) throws -> Void = { conversation in
      defer { received.update { $0.isOver = true } }
      while let bytes = try conversation.readBytes() { received.update { $0.bytes += bytes } }
    }
    try Resource.with(serve: serve) { resource in
      let served = try Served(resource.tree, [])
      var peer: Peer? = try Peer(served.path)
      let url = resource.server.url("/x")
      let line = #"{"v":1,"request":"resource","url":"\#(url)","method":"PUT","inline":true,"body_lines":true}"#
      #expect(try peer?.ask(line).contains("body_wanted") == true)
      // More than is buffered for a repetition, so that it is being sent.
      let part = String(repeating: "QUJD", count: 40_000)
      for _ in 0..<15 {
        let next = try peer?.ask(#"{"v":1,"request":"resource_body","base64":"\#(part)"}"#)
        #expect(next?.contains("body_wanted") == true, "\(next ?? "")")
      }
      #expect(received.wait(.testLimit) { $0.bytes.isEmpty ? nil : true } == true, "nothing is sent")
      peer = nil
      #expect(received.wait(.testLimit) { $0.isOver ? true : nil } == true, "the request goes on")
      let bytes = received.withLock { $0.bytes }
      #expect(!bytes.isEmpty && !bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8), "\(bytes.count)")
    }
  }

  @Test func `takes a body in lines, each when it asks for it`() throws {
    try Self.with { resource, served in
      let url = resource.server.url("/x")
      let peer = try Peer(served.path)
      let line = #"{"v":1,"request":"resource","url":"\#(url)","method":"PUT","inline":true,"body_lines":true}"#
      #expect(try peer.ask(line).contains("body_wanted"))
      #expect(try peer.ask(#"{"v":1,"request":"resource_body","base64":"aGVsbG8="}"#).contains("body_wanted"))
      _ = try peer.send(Array(#"{"v":1,"request":"resource_body","base64":"IHlvdQ==","end":true}"#.utf8) + [0x0A])
      var lines: [String] = []
      repeat { lines.append(try #require(try peer.readLine())) } while !lines[lines.count - 1].contains("result")
      #expect(resource.server.requests.map(\.body) == ["hello you"], "\(lines)")
      let late = try peer.ask(#"{"v":1,"request":"resource_body","end":true}"#)
      #expect(late.contains("invalid_request"), "\(late)")
    }
  }

  // MARK: Others

  @Test func `is told to those who follow as it happens`() throws {
    try Resource.answering({ _ in (200, [], "") }) { resource in
      let follower = try Follower(resource.tree, "--lease")
      let served = try Served(resource.tree, [])
      #expect(try follower.next().contains("lease_opened"))
      #expect(try resource.tree.agent(["request", resource.server.url("/private")], served.environment).succeeded)
      let used = try follower.next()
      #expect(used.contains("lease_used") && !used.contains("private"), "\(used)")
      #expect(try served.process.terminate() == .exited(0))
      #expect(try follower.next().contains(#""cause":"closed""#))
    }
  }

  @Test func `is told in events of its own, without a path`() throws {
    try Self.with { resource, served in
      #expect(try resource.tree.agent(["request", resource.server.url("/private")], served.environment).succeeded)
      _ = try resource.tree.agent(["list"], served.environment)
      let events = try Self.events(resource.tree)
      try #require(events.map { $0["event"]?.string } == ["lease_opened", "lease_used", "lease_refused"], "\(events)")
      #expect(events[0]["account"] == "work")
      #expect(
        events[1]["method"] == "GET" && events[1]["origin"] == .string("http://127.0.0.1:\(resource.server.port)")
          && events[1]["status"] == 200 && events[1]["uid"]?.int == Int(Machine.userID), "\(events[1])")
      #expect(events[2]["code"] == "not_permitted")
      let text = try resource.tree.agent("events", "--lease").outputText
      #expect(!text.contains("private") && text.contains("status 200"), "\(text)")
    }
  }

  @Test func `slows nobody else, whatever its peers do`() throws {
    try Self.with { resource, served in
      let half = try (0..<40).map { _ in try Peer(served.path) }
      for peer in half { _ = try peer.send(Array(#"{"v":1,"request":"#.utf8)) }
      let flood = try Peer(resource.tree.socketPath)
      for _ in 0..<200 {
        #expect(try flood.ask(#"{"v":1,"request":"token","account":"work"}"#).contains("access_token"))
      }
      #expect(try resource.tree.json("list")["accounts"]?.array?.count == 1)
      #expect(try resource.request().succeeded)
    }
  }

  @Test(.enabled(if: Machine.userID == 0, "only root can be two users"))
  func `is open to no other user, though its directory were`() throws {
    try Self.with { resource, served in
      var directory = served.path
      while directory != "/tmp", directory.count > 1 {
        directory = String(directory.prefix(upTo: directory.lastIndex(of: "/") ?? directory.startIndex))
        guard directory.hasPrefix("/tmp/") else { break }
        #expect(try ProcessRunner.shell("chmod a+x '\(directory)'").succeeded)
      }
      let script = "import socket; socket.socket(socket.AF_UNIX).connect('\(served.path)')"
      let result = try ProcessRunner.run(
        executable: "/usr/bin/setpriv",
        arguments: ["--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", script])
      #expect(!result.succeeded && result.errorText.contains("Permission"), "\(result.errorText)")
    }
  }
}
