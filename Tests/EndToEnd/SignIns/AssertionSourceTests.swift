import AgentClient
import Encoding
import Platform
import TestSupport
import Testing

/// Sign-ins with a platform's own kind of assertion, or one from the server of another account for its user. One
/// issuer is the platform, and the other accepts its assertions.
@Suite(.needsPrograms) struct `A workload on a platform` {
  enum Source: String, CaseIterable, Sendable {
    case kubernetes, descriptor, account
    case gitLab = "gitlab-ci"
    case gitHub = "github-actions"

    /// The sources that can renew a session.
    static let lasting = allCases.filter { $0 != .descriptor }
  }

  private struct Scene {
    static let jobToken = "job-token-0123456789"

    let tree: AgentTree
    let platform: Issuer
    let server: Issuer
    let source: Source

    var file: String { tree.path("token") }

    /// The JWT that the platform currently provides.
    func handOut() throws -> String {
      let answer = try PlainHTTP.get(
        port: platform.port, "/job_token?audience=\(server.url)", bearer: Self.jobToken)
      return try #require(JSON(parsing: answer.body)["value"]?.string)
    }

    /// The variables of a job, as the platform sets them at its start.
    func variables() throws -> [String: String?] {
      switch source {
      case .gitLab: ["GITLAB_OIDC_TOKEN": try handOut()]
      case .gitHub:
        [
          "ACTIONS_ID_TOKEN_REQUEST_URL": "\(platform.url)/job_token?api-version=2.0",
          "ACTIONS_ID_TOKEN_REQUEST_TOKEN": Self.jobToken,
        ]
      case .kubernetes, .descriptor, .account: [:]
      }
    }

    /// Runs a command as a step of the job.
    func run(_ arguments: [String], input: String = "") throws -> ProcessResult {
      if source == .kubernetes { try tree.directory.write("token", try handOut()) }
      return try tree.agent(arguments, try variables(), input: input)
    }

    func login(_ options: String...) throws -> ProcessResult {
      let way =
        switch source {
        case .kubernetes: ["--assertion-from", "kubernetes", "--assertion-file", file]
        case .gitLab, .gitHub: ["--assertion-from", source.rawValue]
        case .descriptor: ["--assertion-fd", "0"]
        case .account: ["--assertion-account", "person"]
        }
      let base = [
        "workload", "ci", "--issuer", server.url, "--client-id", "agent-cli", "--allow-http-loopback", "--scope",
        "deploy",
        "--json",
      ]
      return try run(base + way + options, input: source == .descriptor ? try handOut() : "")
    }

    func renew() throws -> ProcessResult { try run(["token", "ci", "--force-refresh", "--json"]) }

    /// The subject of a token according to the server.
    func subject(of token: String) throws -> String? {
      try JSON(parsing: PlainHTTP.get(port: server.port, "/resource", bearer: token).body)["subject"]?.string
    }
  }

  private static func with(_ source: Source, _ body: (Scene) throws -> Void) throws {
    try AgentTree.with { tree in
      try Issuer.with(["--job-token", Scene.jobToken]) { platform in
        try tree.directory.write(
          "platform.json", String(decoding: PlainHTTP.get(port: platform.port, "/jwks").body, as: UTF8.self))
        try Issuer.with(
          ["--platform-jwks", tree.path("platform.json"), "--platform-issuer", platform.url]
        ) { server in
          if source == .account {
            try tree.signIn("person", at: platform.url, "--scope", "openid offline_access")
          }
          try body(Scene(tree: tree, platform: platform, server: server, source: source))
        }
      }
    }
  }

  /// A job of GitHub Actions, for `async` code.
  private static func withJob(_ body: (Scene) async throws -> Void) async throws {
    let platform = try Issuer.start(["--job-token", Scene.jobToken])
    defer { platform.stop() }
    let tree = try AgentTree.start()
    defer { tree.close() }
    try tree.directory.write(
      "platform.json", String(decoding: PlainHTTP.get(port: platform.port, "/jwks").body, as: UTF8.self))
    let server = try Issuer.start(
      ["--platform-jwks", tree.path("platform.json"), "--platform-issuer", platform.url])
    defer { server.stop() }
    try await body(Scene(tree: tree, platform: platform, server: server, source: .gitHub))
  }

  @Test(arguments: Source.lasting)
  func `signs in without a person, and is renewed by what the platform gives then`(source: Source) throws {
    try Self.with(source) { scene in
      let login = try scene.login()
      try #require(login.succeeded, "\(login.errorText)")
      let event = try JSON(parsing: Array(try #require(login.lines.last).utf8))
      #expect(event["event"] == "signed_in" && event["assertion"] == true && event["scope"] == "deploy")
      let token = try scene.tree.token("ci")
      let job = "repo:example/project:ref:refs/heads/main"
      let subject = try #require(try scene.subject(of: token))
      #expect(source == .account ? subject != job : subject == job)
      let renewed = try scene.renew()
      try #require(renewed.succeeded, "\(renewed.errorText)")
      #expect(try JSON(parsing: renewed.output)["access_token"]?.string != token)
      try scene.tree.stopDaemon()
      #expect(try scene.run(["token", "ci"]).succeeded)
      #expect(try scene.server.count("assertion_grants") == 3)
      #expect(try scene.server.count("assertion_failures") == 0 && scene.server.count("refreshes") == 0)
      if source == .gitHub { #expect(try scene.platform.count("job_assertions") == 3) }
      if source == .account { #expect(try scene.platform.count("identity_assertions") == 3) }
    }
  }

  @Test(arguments: Source.lasting) func `needs no daemon`(source: Source) throws {
    try Self.with(source) { scene in
      let login = try scene.run(["--no-daemon"] + ["status", "--json"])
      try #require(login.succeeded)
      try #require(try scene.login().succeeded)
      try scene.tree.stopDaemon()
      let token = try scene.run(["--no-daemon", "token", "ci"])
      #expect(token.succeeded && !token.output.isEmpty, "\(token.errorText)")
      #expect(try scene.server.count("assertion_grants") == 2)
    }
  }

  private static let faults: [(setting: String, value: String, claim: String, status: Int32, code: String)] = [
    ("assertion_lifetime", "-120", "exp", 3, "assertion_needed"),
    ("assertion_audience", "https://other.example", "aud", 6, "assertion_rejected"),
    ("assertion_without", "sub", "sub", 6, "assertion_rejected"),
    ("assertion_client", "somebody", "client_id", 6, "assertion_rejected"),
  ]

  @Test(arguments: Source.allCases) func `is told which claim is wrong, and nothing is sent`(source: Source) throws {
    try Self.with(source) { scene in
      let faults = Self.faults.filter { source == .account || $0.claim != "client_id" }
      let reset = [
        ("assertion_lifetime", "300"), ("assertion_audience", "off"), ("assertion_without", "off"),
        ("assertion_client", "off"),
      ]
      for fault in faults {
        try scene.platform.control(reset.filter { $0.0 != fault.setting } + [(fault.setting, fault.value)])
        let refused = try scene.login()
        #expect(
          refused.status == .exited(fault.status) && refused.failureCode == fault.code, "\(refused.errorText)")
        #expect(refused.failure?["message"]?.string?.contains("(\(fault.claim))") == true || fault.claim == "sub")
        #expect(refused.failure?["message"]?.string?.contains(fault.claim) == true)
      }
      #expect(try scene.server.count("assertion_grants") == 0)
      try scene.platform.control(reset)
      let login = try scene.login()
      try #require(login.succeeded, "\(login.errorText)")
      guard source != .descriptor else { return }
      for fault in faults {
        try scene.platform.control(reset.filter { $0.0 != fault.setting } + [(fault.setting, fault.value)])
        let refused = try scene.renew()
        #expect(refused.failed(fault.status) && refused.failureCode == fault.code, "\(refused.errorText)")
        #expect(refused.failure?["message"]?.string?.contains(fault.claim) == true)
      }
      try scene.platform.control(reset)
      #expect(try scene.renew().succeeded)
      #expect(try scene.server.count("assertion_grants") == 2 && scene.server.count("assertion_failures") == 0)
    }
  }

  @Test(arguments: Source.allCases) func `is told when the server does not trust the JWT`(source: Source) throws {
    try Self.with(source) { scene in
      // This server trusts a platform with another name.
      try Issuer.with(
        ["--platform-jwks", scene.tree.path("platform.json"), "--platform-issuer", "https://id.example.com"]
      ) { other in
        let scene = Scene(tree: scene.tree, platform: scene.platform, server: other, source: source)
        let refused = try scene.login()
        #expect(
          refused.status == .exited(6) && refused.failureCode == "assertion_rejected", "\(refused.errorText)")
        #expect(try other.count("assertion_failures") == 1)
      }
    }
  }

  @Test(arguments: [Source.gitLab, .gitHub])
  func `hands its variables over at each call, and is told which are missing`(source: Source) throws {
    try Self.with(source) { scene in
      let tree = scene.tree
      let login = try scene.login("--verbose")
      try #require(login.succeeded, "\(login.errorText)")
      #expect(try !tree.token("ci").isEmpty)
      let refused = try tree.agent("token", "ci", "--force-refresh", "--json")
      #expect(refused.failed(3) && refused.failureCode == "assertion_needed", "\(refused.errorText)")
      let variables = try scene.variables()
      for name in variables.keys { #expect(refused.failure?["message"]?.string?.contains(name) == true) }
      #expect(try scene.server.count("assertion_grants") == 1)
      let renewed = try tree.agent(["token", "ci", "--force-refresh", "--verbose"], variables)
      #expect(renewed.succeeded, "\(renewed.errorText)")
      // The variables were removed with their connection.
      #expect(try tree.agent("token", "ci", "--force-refresh").failed(3))
      let told = [login, renewed, try tree.agent("daemon", "log")]
      let secrets = source == .gitHub ? [Scene.jobToken] : variables.values.compactMap(\.self)
      for secret in secrets {
        let part = try #require(secret.split(separator: ".").last)
        for result in told { #expect(!(result.outputText + result.errorText).contains(part)) }
        let files = try ProcessRunner.run(
          executable: "/bin/grep",
          arguments: ["-r", "-l", "-a", "-e", String(part)]
            + ["config", "state", "cache", "runtime", "home"].map(tree.path))
        #expect(files.lines.isEmpty)
      }
    }
  }

  @Test func `asks for another variable where the job names another one`() throws {
    try Self.with(.gitLab) { scene in
      let (jwt, tree) = (try scene.handOut(), scene.tree)
      let variables: [String: String?] = ["CI_JWT_FOR_ID": jwt]
      let arguments = [
        "workload", "ci", "--issuer", scene.server.url, "--client-id", "agent-cli", "--allow-http-loopback",
        "--assertion-from", "gitlab-ci", "--assertion-variable",
      ]
      let login = try tree.agent(arguments + ["CI_JWT_FOR_ID"], variables)
      #expect(login.succeeded, "\(login.errorText)")
      #expect(try tree.agent(["token", "ci", "--force-refresh"], variables).succeeded)
      #expect(try tree.agent(arguments + ["1 2"], variables).status == .exited(2))
    }
  }

  @Test func `names a variable only beside the platform whose it is`() throws {
    try Self.with(.gitLab) { scene in
      let tree = scene.tree
      let line = [
        "workload", "ci", "--issuer", scene.server.url, "--client-id", "agent-cli", "--allow-http-loopback", "--json",
      ]
      let variable = ["--assertion-variable", "CI_JWT_FOR_ID"]
      for way in [[], ["--assertion-from", "github-actions"], ["--assertion-file", scene.file]] {
        let refused = try tree.agent(line + variable + way)
        #expect(refused.status == .exited(2) && refused.failureCode == "invalid_request", "\(refused.errorText)")
        #expect(refused.failure?["message"]?.string?.contains("--assertion-from gitlab-ci") == true)
      }
      let login = try tree.agent(
        line + variable + ["--assertion-from", "gitlab-ci"], ["CI_JWT_FOR_ID": try scene.handOut()])
      try #require(login.succeeded, "\(login.errorText)")
      let moved = try tree.agent("account", "set", "ci", "--assertion-from", "github-actions", "--json")
      #expect(moved.failed(2) && moved.failureCode == "invalid_request", "\(moved.errorText)")
      #expect(moved.failure?["hint"]?.string?.contains("--unset assertion-variable") == true)
      try #require(try tree.agent("account", "set", "ci", "--unset", "assertion-from").succeeded)
      let settings = try tree.json("account", "show", "ci")["settings"]
      #expect(settings?["assertion_from"] == nil && settings?["assertion_variable"] == nil)
      let alone = try tree.agent(["account", "set", "ci", "--json"] + variable)
      #expect(alone.failed(2) && alone.failureCode == "invalid_request", "\(alone.errorText)")
    }
  }

  @Test func `finds no sense in settings with a variable and another platform`() throws {
    try Self.with(.gitLab) { scene in
      try #require(try scene.login().succeeded)
      let path = "config/agent/config.json"
      let text = String(decoding: try scene.tree.directory.read(path), as: UTF8.self)
      try #require(text.contains("\"gitlab-ci\""))
      try scene.tree.directory.write(
        path, text.replacing("\"gitlab-ci\"", with: "\"kubernetes\", \"assertion_variable\": \"CI_JWT\""))
      let refused = try scene.tree.agent("account", "show", "ci", "--json")
      #expect(refused.failureCode == "invalid_configuration", "\(refused.errorText)")
      #expect(refused.failure?["message"]?.string?.contains("ci.assertion_variable") == true)
    }
  }

  @Test func `sends a body once, though its token needs variables first`() throws {
    try Self.with(.gitHub) { scene in
      try #require(try scene.login().succeeded)
      let host = String(scene.server.url.dropFirst("http://".count))
      try #require(try scene.tree.agent("account", "set", "ci", "--host", "http://" + host).succeeded)
      try scene.tree.stopDaemon()
      let sent = try scene.run(
        ["request", "POST", "\(scene.server.url)/echo", "--account", "ci", "--data", "@-"], input: "the body")
      try #require(sent.succeeded, "\(sent.errorText)")
      #expect(try JSON(parsing: sent.output)["body_bytes"]?.int == 8)
      #expect(try scene.server.count("echoes") == 1)
    }
  }

  @Test func `keeps a token file of it, as long as the command runs`() throws {
    try Self.with(.gitHub) { scene in
      try #require(try scene.login().succeeded)
      try scene.tree.stopDaemon()
      try scene.server.control("access_token_lifetime", "2")
      // The file is renewed with the variables that the command has passed.
      let grants = try scene.server.count("assertion_grants")
      let process = try RunningProcess(
        executable: Programs.path("agent"), arguments: ["exec", "ci", "--token-file", "--", "cat"],
        environment: scene.tree.environment(try scene.variables()))
      try scene.server.await("assertion_grants", grants + 3)
      process.closeInput()
      #expect(try process.wait() == .exited(0))
    }
  }

  @Test func `keeps a token file of it, also when another daemon writes it`() throws {
    try Self.with(.gitHub) { scene in
      try #require(try scene.login().succeeded)
      let process = try RunningProcess(
        executable: Programs.path("agent"),
        arguments: ["exec", "ci", "--token-file", "--", "sh", "-c", "echo $AGENT_TOKEN_FILE; cat"],
        environment: scene.tree.environment(try scene.variables()))
      let path = try process.readLine()
      let token = try ProcessRunner.shell("cat '\(path)'").outputText
      try scene.tree.stopDaemon()
      _ = try scene.tree.agent("list")
      let deadline = Instant.now.advanced(by: .testLimit)
      var next = ""
      while next.isEmpty || next == token {
        try #require(Instant.now < deadline, "the file does not come back")
        next = try ProcessRunner.shell("cat '\(path)' || true").outputText
        Threads.sleep(for: .milliseconds(20))
      }
      #expect(try scene.server.count("assertion_grants") == 2)
      process.closeInput()
      #expect(try process.wait() == .exited(0))
    }
  }

  @Test func `speaks to an MCP server by it`() throws {
    try Self.with(.gitHub) { scene in
      let tree = scene.tree
      try #require(try scene.login().succeeded)
      let begun =
        #"{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#
      let mcp = try LoopbackServer { conversation in
        while let request = try conversation.readRequest() {
          let isFirst = request.body.contains(#""initialize""#)
          try conversation.respond(
            isFirst ? 200 : 202, headers: isFirst ? ["Content-Type: application/json"] : [], body: isFirst ? begun : "")
        }
      }
      let host = String(mcp.url("/").dropLast())
      try #require(try tree.agent("account", "set", "ci", "--host", host).succeeded)
      try tree.stopDaemon()
      let lines = try MCPLines(tree, mcp.url("/mcp"), ["--account", "ci"], try scene.variables())
      try lines.begin()
      try lines.finish()
      #expect(mcp.requests.first?.values("Authorization").first?.hasPrefix("Bearer ") == true)
      #expect(try scene.server.count("assertion_grants") == 2)
    }
  }

  @Test func `gives its token to a program of the library`() async throws {
    try await Self.withJob { scene in
      let (tree, variables) = (scene.tree, try scene.variables())
      try #require(try scene.login().succeeded)
      try tree.stopDaemon()
      try #require(try tree.agent("daemon", "start").succeeded)
      let path = try #require(try tree.json("daemon", "status")["socket"]?.string)
      let url = try #require(variables["ACTIONS_ID_TOKEN_REQUEST_URL"] ?? nil)
      await #expect(processExitsWith: .success) {
        [path = path as String, url = url as String, token = Scene.jobToken as String] in
        try Environment.set("ACTIONS_ID_TOKEN_REQUEST_URL", to: url)
        try Environment.set("ACTIONS_ID_TOKEN_REQUEST_TOKEN", to: token)
        let agent = Agent(socket: path)
        let found = try await agent.token(for: "ci")
        try #require(found.revealedAuthorization().hasPrefix("Bearer "))
      }
      #expect(try scene.server.count("assertion_grants") == 2)
      // The variables were removed with that program.
      #expect(try tree.agent("token", "ci", "--force-refresh").failed(3))
    }
  }

  @Test func `tells who comes by a lease that no variables pass it, and takes none`() throws {
    try Self.with(.gitHub) { scene in
      let tree = scene.tree
      try #require(try scene.login().succeeded)
      let host = String(scene.server.url.dropFirst("http://".count))
      try #require(try tree.agent("account", "set", "ci", "--host", "http://" + host).succeeded)
      try tree.stopDaemon()
      let serving = try RunningProcess(
        executable: Programs.path("agent"), arguments: ["serve", "ci"],
        environment: tree.environment(try scene.variables()))
      let socket = try serving.readLine()
      var variables = try scene.variables()
      variables["AGENT_SOCKET"] = socket
      let request = ["request", "\(scene.server.url)/resource", "--json", "--output", tree.path("answer")]
      let refused = try tree.agent(request, variables)
      #expect(refused.failed(3) && refused.failureCode == "assertion_needed", "\(refused.errorText)")
      #expect(refused.failure?["message"]?.string?.contains("a lease cannot pass") == true, "\(refused.errorText)")
      #expect(refused.failure?["variables"] == nil)
      #expect(try scene.platform.count("job_assertions") == 1)
      try #require(try scene.renew().succeeded)
      #expect(try tree.agent(request, variables).succeeded)
      try serving.terminate()
    }
  }

  @Test(arguments: [("403", 3, "assertion_needed"), ("503", 4, "server_unavailable")] as [(String, Int32, String)])
  func `is told what the service of GitHub Actions answers`(answer: String, status: Int32, code: String) throws {
    try Self.with(.gitHub) { scene in
      try #require(try scene.login().succeeded)
      try scene.platform.control("status", answer, ("fail_next_job", "9"))
      let refused = try scene.renew()
      #expect(refused.failed(status) && refused.failureCode == code, "\(refused.errorText)")
      try scene.platform.control("fail_next_job", "0")
      #expect(try scene.renew().succeeded)
    }
  }

  @Test func `asks no service over plain http`() throws {
    try Self.with(.gitHub) { scene in
      let arguments = ["workload", "ci", "--issuer", scene.server.url, "--client-id", "agent-cli", "--json"]
      var variables = try scene.variables()
      variables["ACTIONS_ID_TOKEN_REQUEST_URL"] = "http://id.example.com/token?a=b"
      let refused = try scene.tree.agent(
        arguments + ["--allow-http-loopback", "--assertion-from", "github-actions"], variables)
      #expect(
        !refused.succeeded && refused.failure?["message"]?.string?.contains("https") == true, "\(refused.errorText)")
      #expect(try scene.platform.count("job_assertions") == 0 && scene.server.count("assertion_grants") == 0)
    }
  }

  @Test func `is signed in once by what a descriptor held`() throws {
    try Self.with(.descriptor) { scene in
      let login = try scene.login()
      try #require(login.succeeded, "\(login.errorText)")
      #expect(login.lines.contains { $0.contains("notice") && $0.contains("cannot be used again") })
      #expect(try !scene.tree.token("ci").isEmpty)
      for isNew in [false, true] {
        if isNew { try scene.tree.stopDaemon() }
        let refused = try scene.tree.agent(["token", "ci", "--json"] + (isNew ? [] : ["--force-refresh"]))
        // A valid token is not replaced by an attempt that cannot succeed.
        let (code, word) = isNew ? ("assertion_needed", "once") : ("session_expired", "sign in to get a new token")
        #expect(refused.failed(3) && refused.failureCode == code, "\(refused.errorText)")
        #expect(refused.failure?["message"]?.string?.contains(word) == true)
      }
      try #require(try scene.login().succeeded)
      #expect(try !scene.tree.token("ci").isEmpty)
    }
  }

  @Test func `goes on when the user of the other account is signed in again`() throws {
    try Self.with(.account) { scene in
      try #require(try scene.login().succeeded)
      try #require(try scene.tree.agent("logout", "person").succeeded)
      let refused = try scene.renew()
      #expect(refused.failed(3) && refused.failureCode == "signed_out", "\(refused.errorText)")
      #expect(refused.failure?["hint"]?.string == "agent login person")
      #expect(try !scene.tree.token("ci").isEmpty)
      try scene.tree.signIn("person", at: scene.platform.url, "--scope", "openid offline_access")
      #expect(try scene.renew().succeeded)
    }
  }

  @Test func `has the other account renewed where its ID Token is past its end`() throws {
    try Self.with(.account) { scene in
      // The clock tolerance accepts this ID Token, but no server would accept it as an assertion.
      try scene.platform.control([("clock_offset", "-30"), ("id_token_lifetime", "10")])
      try scene.tree.signIn("person", at: scene.platform.url, "--scope", "openid offline_access")
      try scene.platform.control([("clock_offset", "0"), ("id_token_lifetime", "3600")])
      let login = try scene.login()
      #expect(login.succeeded, "\(login.errorText)")
      #expect(try scene.platform.count("refreshes") == 1 && scene.platform.count("identity_assertions") == 1)
    }
  }

  @Test func `is told that the other account has no user`() throws {
    try Self.with(.account) { scene in
      try #require(try scene.tree.agent("logout", "person").succeeded)
      try scene.tree.signIn("person", at: scene.platform.url, "--scope", "profile")
      let refused = try scene.login()
      #expect(refused.status == .exited(3) && refused.failureCode == "assertion_needed", "\(refused.errorText)")
      let own = try scene.tree.agent(
        "workload", "ci", "--issuer", scene.server.url, "--client-id", "agent-cli", "--allow-http-loopback",
        "--assertion-account", "ci")
      #expect(own.status == .exited(2), "\(own.errorText)")
    }
  }

  @Test func `does not wait for an account that needs this one`() throws {
    try Self.with(.gitHub) { scene in
      let tree = scene.tree
      try #require(try scene.login().succeeded)
      let other = try scene.run([
        "workload", "cd", "--issuer", scene.server.url, "--client-id", "agent-cli", "--allow-http-loopback",
        "--assertion-from", "github-actions",
      ])
      try #require(other.succeeded, "\(other.errorText)")
      for (name, needed) in [("ci", "cd"), ("cd", "ci")] {
        let set = try tree.agent(
          "account", "set", name, "--unset", "assertion-from", "--assertion-account", needed)
        try #require(set.succeeded, "\(set.errorText)")
      }
      try tree.stopDaemon()
      let refused = try tree.agent("token", "ci", "--json")
      #expect(refused.failed(3) && refused.failureCode == "assertion_needed", "\(refused.errorText)")
    }
  }

  @Test(arguments: [
    ["--assertion-from", "github-actions", "--assertion-account", "person"],
    ["--assertion-from", "gitlab-ci", "--assertion-file", "/run/token"],
    ["--assertion-fd", "0", "--assertion-file", "/run/token"],
  ])
  func `takes one way to an assertion`(options: [String]) throws {
    try Self.with(.descriptor) { scene in
      let base = ["workload", "ci", "--issuer", scene.server.url, "--client-id", "agent-cli", "--allow-http-loopback"]
      let result = try scene.tree.agent(base + options + ["--json"], input: try scene.handOut())
      #expect(result.status == .exited(2) && result.failureCode == "invalid_request", "\(result.errorText)")
      #expect(try scene.server.requests() == 0)
    }
  }
}
