import Encoding
import Platform
import TestSupport
import Testing

/// Tests/Tools/Example uses the library product as an external package.
@Suite(.needsPrograms) struct `A program that uses the client library` {
  /// Built once, next to the output of this package.
  private static let program = Result { () throws -> String in
    let package = "\(PackageFiles.path("Tests/Tools/Example"))"
    let scratch = "\(PackageFiles.path(".build/example"))"
    let result = try ProcessRunner.run(
      executable: "/bin/sh",
      // Removing that file makes the build search for sources again.
      arguments: [
        "-c", "rm -f '\(scratch)/debug.yaml'; exec swift build --package-path '\(package)' --scratch-path '\(scratch)'",
      ],
      environment: Environment.all().map { "\($0.0)=\($0.1)" })
    let hasBuilt = result.succeeded
    try #require(hasBuilt, "\(result.outputText)\n\(result.errorText)")
    return "\(scratch)/debug/example"
  }

  private static func run(_ tree: AgentTree, _ arguments: String...) throws -> [String] {
    let result = try ProcessRunner.run(
      executable: try program.get(), arguments: arguments, environment: tree.environment())
    #expect(result.succeeded && result.errorText.isEmpty, "\(result.errorText)")
    return result.lines.map(String.init)
  }

  @Test func `signs in, shows who is signed in, gets a token and sees it renewed, and signs out`() throws {
    _ = try Self.program.get()
    try Issuer.with(["--claim", "email=ann@example.com"]) { issuer in
      try AgentTree.with { tree in
        #expect(try Self.run(tree, "accounts") == [])
        let started = try tree.daemon()
        #expect(try Self.run(tree, "user") == ["nobody is signed in"])
        let login = try Self.run(tree, "login", "work", issuer.url, "agent-cli")
        let subject = try #require(try tree.json("whoami")["subject"]?.string)
        #expect(login.first?.hasPrefix("open \(issuer.url)/") == true)
        #expect(login.last == "signed in to work as \(subject)")
        let installation = try #require(try tree.json("status")["vault"]?["installation"]?.string)
        #expect(
          try Self.run(tree, "user", "work") == [
            "subject \(subject), email ann@example.com", "installation \(installation)",
          ])
        let length = try tree.token().utf8.count
        let renewed = try Self.run(tree, "renew", "work")
        let expiry = try tree.json("token")["expires_at"]?.int ?? 0
        #expect(
          renewed == [
            "account work, token of \(length) bytes", "event: refreshed, account work, until \(expiry)",
          ])
        try tree.signIn("other", at: issuer.url)
        #expect(try Self.run(tree, "use", "other") == [])
        let accounts = try Self.run(tree, "accounts")
        #expect(accounts == ["  work active \(issuer.url)", "* other active \(issuer.url)"])
        #expect(
          try Self.run(tree, "logout", "work") == ["subject \(subject)", "subject -", "signed in: false"])
        #expect(try Self.run(tree, "renew", "work") == ["please sign in: agent login work"])
        #expect(try tree.daemon() == started)
        try tree.stopDaemon()
        #expect(try Self.run(tree, "start") == [])
        #expect(try tree.daemon() != started)
      }
    }
  }

  @Test func `lives on when the daemon is another one meanwhile`() throws {
    let program = try Self.program.get()
    try Issuer.with(["--claim", "email=ann@example.com"]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url, "--scope", "openid email offline_access")
        let process = try RunningProcess(
          executable: "/usr/bin/stdbuf", arguments: ["-oL", program, "watch"], environment: tree.environment())
        let first = [try process.readLine(), try process.readLine()]
        #expect(first.first?.hasSuffix("email ann@example.com") == true)
        try tree.stopDaemon()
        // The daemon closes the program's connection, so that the program starts the next daemon.
        try process.send("\n")
        #expect([try process.readLine(), try process.readLine()] == first)
        process.closeInput()
        #expect(try process.wait() == .exited(0))
      }
    }
  }

  @Test func `sends requests with the token, and proofs of its key`() throws {
    try Issuer.with(["--dpop-required"]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url, "--dpop")
        let answer = try Self.run(tree, "get", "\(issuer.url)/resource")
        #expect(answer.first == "status 200, type application/json")
        #expect(answer.last?.hasSuffix(" bytes") == true)
        let posted = try Self.run(tree, "post", "\(issuer.url)/echo", "hello")
        #expect(try JSON(parsing: Array(try #require(posted.dropFirst().first).utf8))["body_bytes"] == 5)
        let url = "\(issuer.url)/resource"
        let fields = try Self.run(tree, "proof", "GET", url)
        #expect(fields.count == 2)
        let options = fields.map { "-H '\($0)'" }.joined(separator: " ")
        let used = try ProcessRunner.shell("curl -qsS --fail --noproxy '*' \(options) '\(url)'")
        #expect(try JSON(parsing: used.output)["message"] != nil, "\(used.errorText)")
        #expect(
          try Self.run(tree, "get", "https://elsewhere.example/").first?.hasPrefix("please correct: ") == true)
      }
    }
  }

  @Test func `starts no daemon at a socket that is named, and one there when it is asked to`() throws {
    let program = try Self.program.get()
    try AgentTree.with { tree in
      let place = tree.path("runtime/other.sock")
      func run(_ command: String, _ changes: [String: String?]) throws -> String {
        try ProcessRunner.run(
          executable: program, arguments: [command], environment: tree.environment(changes), timeout: .testLimit
        ).outputText
      }
      #expect(try run("accounts", ["AGENT_SOCKET": place]) == "not now: the daemon is not running\n")
      #expect(try tree.daemons().isEmpty)
      let missing = try run("start", ["PATH": "/nonexistent"])
      #expect(missing.hasPrefix("please correct: the program agent is neither in "))
      #expect(try run("start", ["AGENT_SOCKET": place]) == "")
      #expect(try tree.daemons().count == 1)
      #expect(try run("accounts", ["AGENT_SOCKET": place]) == "")
    }
  }
}
