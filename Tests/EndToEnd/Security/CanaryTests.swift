import Encoding
import Platform
import TestSupport
import Testing

/// Searches for known secrets in everything that the programs print and leave behind. A secret may only appear on the
/// standard output that was asked for.
@Suite(.needsPrograms) struct `No secret is told` {
  /// A tree signed in at a ``CanaryIssuer``, with the daemon in the foreground.
  private struct Scene {
    let tree: AgentTree
    let issuer: CanaryIssuer
    let daemon: RunningProcess
    /// Files that a user keeps elsewhere.
    let secrets: TemporaryDirectory

    var canaries: Canaries { issuer.canaries }

    static func with(_ mood: CanaryIssuer.Mood = .good, body: (Scene) throws -> Void) throws {
      let issuer = try CanaryIssuer()
      try AgentTree.with { tree in
        let secrets = try TemporaryDirectory()
        try secrets.write("client", issuer.canaries.clientSecret)
        try secrets.write("refresh", issuer.canaries.refresh)
        let daemon = try tree.start(["daemon", "run", "--verbose"])
        let scene = Scene(tree: tree, issuer: issuer, daemon: daemon, secrets: secrets)
        try scene.awaitDaemon()
        let login = try tree.agent(scene.login("work", "--json", "--verbose"))
        try #require(login.succeeded, "\(login.errorText)")
        scene.expectNothing(login, "login", but: ["user code"])
        issuer.become(mood)
        try body(scene)
      }
    }

    private func awaitDaemon() throws {
      let deadline = Instant.now.advanced(by: .testLimit)
      while !daemon.errorText.contains("the daemon started") {
        try #require(Instant.now < deadline, "\(daemon.errorText)")
        Threads.sleep(for: .milliseconds(10))
      }
    }

    /// The command line of a sign-in with the client secret.
    func login(_ account: String, _ options: String...) -> [String] {
      ["login", account, "--issuer", issuer.url, "--client-id", CanaryIssuer.clientID, "--allow-http-loopback"]
        + ["--client-secret-file", secrets.path("client")]
        + (options.contains("--browser") ? [] : ["--device"]) + options
    }

    func expectNothing(_ result: ProcessResult, _ place: String, but allowed: Set<String> = []) {
      canaries.expectNone(in: result.errorText, "standard error of \(place)", but: allowed)
      canaries.expectNone(in: result.outputText, "standard output of \(place)", but: allowed)
    }

    /// In logs, processes and files.
    func expectNothingLeft() throws {
      for line in [["daemon", "log"], ["daemon", "log", "--json"]] {
        expectNothing(try tree.agent(line), "\(line)")
      }
      canaries.expectNone(in: daemon.errorText, "the daemon's standard error")
      canaries.expectNone(ofProcess: daemon.processID)
      try canaries.expectNone(inFilesOf: tree)
    }
  }

  private static let styles = [[], ["--verbose"], ["--json"], ["--verbose", "--json"]]

  /// Commands that succeed and whose standard output contains no secret.
  private static let quiet: [[String]] = [
    ["whoami"], ["status"], ["status", "--check"], ["list"], ["use", "work"], ["account", "show"],
    ["account", "set", "work", "--keep"], ["daemon", "status"], ["exec", "work", "--", "true"], ["env", "--unset"],
    ["daemon", "log"],
  ]

  /// Commands that print the requested secret.
  private static let asked: [(line: [String], secret: String)] = [
    (["token"], "access token"), (["token", "--header"], "access token"), (["token", "--id-token"], "ID Token"),
    (["token", "--force-refresh"], "access token"), (["env"], "access token"),
    (["env", "--var", "T=id_token"], "ID Token"),
    (["exec", "work", "--", "sh", "-c", "echo \"$AGENT_ACCESS_TOKEN\""], "access token"),
  ]

  @Test func `by commands that work, but where it was asked for`() throws {
    try Scene.with { scene in
      for style in Self.styles {
        for command in Self.quiet {
          let line = command.prefix(1) + style + command.dropFirst()
          let result = try scene.tree.agent(Array(line))
          #expect(result.succeeded, "\(line): \(result.errorText)")
          scene.expectNothing(result, "\(line)")
        }
        for (command, secret) in Self.asked where !(style.contains("--json") && command.contains("--header")) {
          let line = command.prefix(1) + style + command.dropFirst()
          let result = try scene.tree.agent(Array(line))
          #expect(result.succeeded, "\(line): \(result.errorText)")
          scene.canaries.expectNone(in: result.errorText, "standard error of \(line)")
          // The search finds existing secrets. A shell command may contain the token in pieces.
          let found = scene.canaries.found(in: result.outputText)
          if command[0] != "env" || style.contains("--json") { #expect(found.contains(secret), "\(line)") }
          #expect(found.isSubset(of: ["access token", secret]), "\(line): \(found)")
        }
      }
      try scene.expectNothingLeft()
      scene.expectNothing(try scene.tree.agent("logout", "work", "--verbose"), "logout")
      try scene.tree.stopDaemon()
      scene.canaries.expectNone(in: scene.daemon.errorText, "the daemon's standard error")
      try scene.canaries.expectNone(inFilesOf: scene.tree)
    }
  }

  @Test(arguments: CanaryIssuer.Mood.bad) func `by commands that fail, whatever the server says`(
    mood: CanaryIssuer.Mood
  ) throws {
    try Scene.with(mood) { scene in
      let host = scene.issuer.url
      let setHost = try scene.tree.agent("account", "set", "work", "--host", host)
      scene.expectNothing(setHost, "account set --host")
      let importing = ["account", "import", "other", "--issuer", host, "--client-id", CanaryIssuer.importingClientID]
      let commands: [[String]] = [
        ["token", "--force-refresh"], ["env", "--timeout", "20s", "-a", "nobody"], ["status", "--check"],
        ["whoami"], scene.login("second"), scene.login("work"),
        importing + ["--allow-http-loopback", "--refresh-token-file", scene.secrets.path("refresh")]
          + ["--client-secret-file", scene.secrets.path("client")],
        ["request", "\(host)/resource", "-a", "work"],
      ]
      for style in Self.styles {
        for command in commands where !(style.contains("--json") && command[0] == "request") {
          let line = command.prefix(1) + style + command.dropFirst()
          let result = try scene.tree.agent(Array(line))
          // A resource's response was requested.
          let answer = command[0] == "request"
          scene.canaries.expectNone(in: result.errorText, "standard error of \(line)")
          if !answer { scene.canaries.expectNone(in: result.outputText, "standard output of \(line)") }
          if command.contains("--force-refresh") || command.contains("import") {
            #expect(result.failed(1) || result.failed(4) || result.failed(3), "\(line): \(result.outputText)")
          }
        }
      }
      // Each response contains the next secret in the next encoding.
      for _ in 0..<16 {
        scene.expectNothing(try scene.tree.agent("token", "work", "--force-refresh", "--verbose"), "token")
      }
      try scene.expectNothingLeft()
      scene.expectNothing(try scene.tree.agent("logout", "work", "--verbose", "--json"), "logout")
      try scene.expectNothingLeft()
    }
  }

  @Test(arguments: [CanaryIssuer.Mood.good] + CanaryIssuer.Mood.bad)
  func `by a sign-in in the browser, whatever the server says`(mood: CanaryIssuer.Mood) throws {
    try Scene.with(mood) { scene in
      let login = try scene.tree.start(scene.login("browsed", "--browser", "--no-open", "--json", "--verbose"))
      let event = try JSON(parsing: Array(login.readLine().utf8))
      let url = try #require(event["url"]?.string)
      let query = try #require(try URI(url).query)
      let state = try #require(try Form.parse(query).first { $0.name == "state" }).value
      let code = Canaries.percentEncoded(scene.canaries.code)
      let answer = "\(event["redirect_uri"]?.string ?? "")?code=\(code)&state=\(Canaries.percentEncoded(state))"
      let page = try ProcessRunner.shell("curl -qsiS --noproxy '*' --max-time 1800 '\(answer)'")
      scene.expectNothing(page, "the page that the browser ends at")
      var told = ""
      while let line = try? login.readLine() { told += line + "\n" }
      _ = try login.wait()
      scene.canaries.expectNone(in: told + login.errorText, "login --browser")
      // The code verifier is a secret too (RFC 7636 section 4.1).
      let bodies = scene.issuer.server.requests.map(\.body)
      let fields = bodies.flatMap { (try? Form.parse($0)) ?? [] }
      let verifier = try #require(fields.first { $0.name == "code_verifier" }).value
      #expect(!(told + login.errorText).contains(verifier))
      try scene.expectNothingLeft()
      let log = try scene.tree.agent("daemon", "log", "--json").outputText + scene.daemon.errorText
      #expect(!log.contains(verifier) && !log.contains(state))
    }
  }

  // MARK: Crashes

  private static let ownSignals = ConditionTrait.disabled(
    if: Programs.areSanitized, "a sanitizer takes these signals itself, and tells of them")

  /// Signals that end a program because of its own fault. Their numbers are the same on every supported machine.
  private static let crashes: [Int32] = [11, 6, 4, 5, 7, 8]

  /// Runs a program with core files enabled, and waits until all its processes end.
  private func crash(
    _ tree: AgentTree, _ variables: [String: String?], _ command: [String], by signal: Int32,
    ready: (RunningProcess) throws -> Int32
  ) throws -> (told: String, process: Int32) {
    let shell = try RunningProcess(
      executable: "/bin/bash", arguments: ["-c", "ulimit -c unlimited; \"$@\"; echo \"ended $?\"", "bash"] + command,
      environment: tree.environment(variables), directory: tree.path("home"))
    let process = try ready(shell)
    try OtherProcess(process).signal(signal)
    var told = ""
    while !told.contains("ended ") { told += try shell.readLine() + "\n" }
    #expect(told.hasSuffix("ended \(128 + signal)\n"))
    _ = try shell.wait()
    return (told + shell.errorText, process)
  }

  private func expectNoTrace(_ told: String, _ scene: (AgentTree, Canaries)) throws {
    let (tree, canaries) = scene
    canaries.expectNone(in: told, "a crash")
    #expect(!told.contains("core dumped"), "\(told)")
    for word in ["Backtrace", "backtrace of", "Registers", "Thread 0"] { #expect(!told.contains(word), "\(told)") }
    let cores = try ProcessRunner.shell("find '\(tree.directory.path)' -name 'core*'").outputText
    #expect(cores == "")
    try canaries.expectNone(inFilesOf: tree)
  }

  @Test(ownSignals, arguments: crashes, [false, true]) func `by a daemon that crashes with tokens in its memory`(
    signal: Int32, isBare: Bool
  ) throws {
    let issuer = try CanaryIssuer()
    try AgentTree.with { tree in
      let secrets = try TemporaryDirectory()
      try secrets.write("client", issuer.canaries.clientSecret)
      let command =
        isBare
        ? [try Programs.path("agentd"), "--foreground"] : [try Programs.path("agent"), "daemon", "run", "--verbose"]
      let end = try crash(tree, [:], command, by: signal) { shell in
        let deadline = Instant.now.advanced(by: .testLimit)
        while !shell.errorText.contains("the daemon started") {
          try #require(Instant.now < deadline, "\(shell.errorText)")
          Threads.sleep(for: .milliseconds(10))
        }
        try tree.signIn(at: issuer.url, clientID: CanaryIssuer.clientID, "--client-secret-file", secrets.path("client"))
        #expect(try tree.token() == issuer.canaries.access)
        return try tree.daemon()
      }
      try expectNoTrace(end.told, (tree, issuer.canaries))
    }
  }

  @Test(ownSignals, arguments: crashes) func `by a client that crashes while it waits`(signal: Int32) throws {
    let issuer = try CanaryIssuer()
    issuer.become(.pending)
    try AgentTree.with { tree in
      let secrets = try TemporaryDirectory()
      try secrets.write("client", issuer.canaries.clientSecret)
      let command = try [
        Programs.path("agent"), "login", "work", "--issuer", issuer.url, "--client-id", CanaryIssuer.clientID,
        "--allow-http-loopback", "--device", "--verbose", "--client-secret-file", secrets.path("client"),
      ]
      let end = try crash(tree, [:], command, by: signal) { shell in
        let deadline = Instant.now.advanced(by: .testLimit)
        while !shell.errorText.contains(issuer.canaries.userCode) {
          try #require(Instant.now < deadline, "\(shell.errorText)")
          Threads.sleep(for: .milliseconds(10))
        }
        let children = try ProcessRunner.shell("cat /proc/\(shell.processID)/task/*/children").outputText
        let client = try #require(children.split(separator: " ").first.flatMap { Int32($0) })
        issuer.canaries.expectNone(ofProcess: client)
        return client
      }
      // The screen shows the code, and is not one of the files.
      try expectNoTrace(
        end.told.split(separator: "\n").filter { !$0.contains(issuer.canaries.userCode) }.joined(separator: "\n"),
        (tree, issuer.canaries))
      issuer.canaries.expectNone(ofProcess: try tree.daemon())
    }
  }
}
