import Encoding
import Platform
import TestSupport
import Testing

/// `login --start` and `login --resume`: for jobs and programs that cannot wait.
@Suite(.needsPrograms) struct `A sign-in in the background` {
  private func start(_ tree: AgentTree, _ issuer: Issuer, _ options: String...) throws -> (event: JSON, login: String) {
    try start(tree, at: issuer.url, clientID: "agent-cli", options)
  }

  private func start(
    _ tree: AgentTree, at issuer: String, clientID: String, _ options: [String]
  ) throws -> (event: JSON, login: String) {
    let result = try tree.agent(
      ["login", "work", "--issuer", issuer, "--client-id", clientID, "--allow-http-loopback", "--start", "--json"]
        + options)
    try #require(result.succeeded, "\(result.errorText)")
    let lines = try result.outputText.split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
    try #require(lines.count == 2 && lines[1]["event"] == "started", "\(result.outputText)")
    return (lines[0], try #require(lines[1]["login"]?.string))
  }

  @Test func `tells what a person must do and returns, and goes on until it is approved`() throws {
    try Issuer.with(approval: "ask") { issuer in
      try AgentTree.with { tree in
        let (event, login) = try start(tree, issuer)
        #expect(event["event"] == "device_code" && event["login"]?.string == login)
        #expect(login.utf8.count == 32)
        let waiting = try tree.agent("login", "--resume", login, "--start", "--json")
        #expect(waiting.status == .exited(4))
        #expect(try JSON(parsing: Array(waiting.outputText.utf8))["event"] == "waiting")
        #expect(try tree.json("status")["accounts"]?.array?.isEmpty == true)
        try issuer.control("approve", try #require(event["user_code"]?.string))
        let ended = try tree.agent("login", "--resume", login, "--json")
        try #require(ended.succeeded, "\(ended.errorText)")
        #expect(ended.outputText.contains(#""event":"signed_in""#), "\(ended.outputText)")
        #expect(try tree.agent("token", "work").succeeded)
        #expect(try issuer.count("device_authorizations") == 1)
      }
    }
  }

  @Test func `is what --verbose tells of, whatever account is active`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        try tree.signIn("home", at: issuer.url)
        try issuer.control("approval", "ask")
        let (event, login) = try start(tree, issuer)
        let resumed = try tree.start(["login", "--resume", login, "--verbose"])
        let deadline = Instant.now.advanced(by: .testLimit)
        while !resumed.errorText.contains("agent: work: ") {
          try #require(Instant.now < deadline, "\(resumed.errorText)")
          Threads.sleep(for: .milliseconds(20))
        }
        try issuer.control("approve", try #require(event["user_code"]?.string))
        #expect(try resumed.wait() == .exited(0))
        #expect(resumed.errorText.contains("agent: work: sign-in ended"), "\(resumed.errorText)")
        #expect(!resumed.errorText.contains("agent: home: "))
      }
    }
  }

  @Test func `that ended while nobody waited tells how, as often as it is asked`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let login = try start(tree, issuer).login
        try issuer.await("device_grants", 1)
        for _ in 0..<2 {
          let ended = try tree.agent("login", "--resume", login, "--json")
          #expect(ended.succeeded && ended.outputText.contains(#""event":"signed_in""#), "\(ended.errorText)")
        }
      }
    }
  }

  @Test func `that was denied says so`() throws {
    try Issuer.with(approval: "never") { issuer in
      try AgentTree.with { tree in
        let login = try start(tree, issuer).login
        #expect(try tree.agent("login", "--resume", login).status == .exited(6))
      }
    }
  }

  @Test func `by browser waits for the answer where it was told to come`() throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let (event, login) = try start(tree, issuer, "--browser")
        #expect(event["event"] == "browser")
        let url = try #require(event["url"]?.string)
        _ = try tree.shell("dash", "curl -qsSL --noproxy '*' '\(url)'")
        let ended = try tree.agent("login", "--resume", login)
        #expect(ended.succeeded, "\(ended.errorText)")
      }
    }
  }

  @Test func `prints its name for scripts`() throws {
    try Issuer.with(approval: "ask") { issuer in
      try AgentTree.with { tree in
        let result = try tree.agent(
          "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--start")
        try #require(result.succeeded, "\(result.errorText)")
        #expect(result.outputText.utf8.count == 33)
        #expect(result.errorText.contains("enter the code"), "\(result.errorText)")
      }
    }
  }

  @Test func `that nobody knows needs a new one`() throws {
    try AgentTree.with { tree in
      let result = try tree.agent("login", "--resume", "0123456789abcdef0123456789abcdef")
      #expect(result.status == .exited(3), "\(result.errorText)")
      let ended = try tree.agent("login", "--start", "--resume", "0123456789abcdef0123456789abcdef")
      #expect(ended.status == .exited(3), "\(ended.errorText)")
      #expect(try tree.agent("--no-daemon", "login", "work", "--start").status == .exited(2))
    }
  }

  @Test func `dies with the daemon`() throws {
    let issuer = try CanaryIssuer()
    issuer.become(.pending)
    try AgentTree.with { tree in
      let secrets = try TemporaryDirectory()
      try secrets.write("client", issuer.canaries.clientSecret)
      let (event, login) = try start(
        tree, at: issuer.url, clientID: CanaryIssuer.clientID,
        ["--device", "--client-secret-file", secrets.path("client")])
      #expect(event["user_code"]?.string == issuer.canaries.userCode)
      // The device code is never written to a file.
      let deadline = Instant.now.advanced(by: .testLimit)
      while !issuer.server.requests.contains(where: { $0.body.contains("device_code=") }) {
        try #require(Instant.now < deadline, "nobody asks for the tokens")
        Threads.sleep(for: .milliseconds(20))
      }
      try issuer.canaries.expectNone(inFilesOf: tree)
      try tree.stopDaemon()
      try issuer.canaries.expectNone(inFilesOf: tree)
      #expect(try tree.agent("login", "--resume", login).status == .exited(3))
      try issuer.canaries.expectNone(inFilesOf: tree)
    }
  }
}
