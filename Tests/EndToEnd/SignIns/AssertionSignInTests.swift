import Encoding
import Platform
import TestSupport
import Testing

/// RFC 7523 section 2.1. A platform provides the assertion as a JWT in a file.
@Suite(.needsPrograms) struct `A workload that signs in by assertion` {
  /// A platform that writes JWTs into a file of the tree, and an issuer that trusts it.
  private struct Scene {
    let tree: AgentTree
    let issuer: Issuer
    let platform: SignedTokens

    var file: String { tree.path("token") }

    /// Writes a JWT for the issuer like the platform does.
    @discardableResult
    func handOut(_ changes: [(String, JSON?)] = [], by other: SignedTokens? = nil) throws -> String {
      let text = try (other ?? platform).token([("aud", .string(issuer.url)), ("sub", "job-7")] + changes)
      try tree.directory.write("token", text + "\n")
      return text
    }

    func login(_ options: String..., globally: [String] = []) throws -> ProcessResult {
      try tree.agent(
        globally + [
          "workload", "ci", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback",
          "--assertion-file", file, "--scope", "openid deploy", "--json",
        ] + options)
    }
  }

  private static func with(_ body: (Scene) throws -> Void) throws {
    let platform = try SignedTokens()
    try AgentTree.with { tree in
      try tree.directory.write("platform.json", try platform.keySet())
      try Issuer.with(
        ["--platform-jwks", tree.path("platform.json"), "--platform-issuer", "https://id.example.com"]
      ) { issuer in
        try body(Scene(tree: tree, issuer: issuer, platform: platform))
      }
    }
  }

  /// The files of a tree that contain a meaningful or usable part of the assertion.
  private static func traces(of assertion: String, in tree: AgentTree) throws -> [Substring] {
    let parts = assertion.split(separator: ".").dropFirst().flatMap { ["-e", String($0)] }
    return try ProcessRunner.run(
      executable: "/bin/grep",
      arguments: ["-r", "-l", "-a"] + parts + ["config", "state", "cache", "runtime", "home"].map(tree.path)
    ).lines
  }

  @Test func `needs no person, and is renewed by what is in the file then`() throws {
    try Self.with { scene in
      let (tree, issuer) = (scene.tree, scene.issuer)
      let first = try scene.handOut()
      let login = try scene.login()
      try #require(login.succeeded, "\(login.errorText)")
      let event = try JSON(parsing: Array(try #require(login.lines.last).utf8))
      #expect(event["event"] == "signed_in" && event["assertion"] == true && event["scope"] == "deploy")
      let token = try tree.token("ci")
      #expect(try issuer.count("assertion_grants") == 1)
      let second = try scene.handOut([("sub", "job-8")])
      #expect(try tree.token("ci", "--force-refresh") != token)
      #expect(try issuer.count("assertion_grants") == 2 && issuer.count("refreshes") == 0)
      let account = try #require(try tree.json("status")["accounts"]?.array?.first)
      #expect(account["assertion"] == true && account["state"] == "active" && account["guest"] == nil)
      #expect(try tree.agent("list").outputText.contains("by assertion"))
      try tree.stopDaemon()
      #expect(try !tree.token("ci").isEmpty)
      #expect(try issuer.count("assertion_grants") == 3)
      let told = try [tree.agent("daemon", "log"), tree.agent("token", "ci", "--force-refresh", "--verbose")]
      for assertion in [first, second] {
        #expect(try Self.traces(of: assertion, in: tree).isEmpty)
        let signature = try #require(assertion.split(separator: ".").last)
        for result in told + [login] { #expect(!(result.outputText + result.errorText).contains(signature)) }
      }
    }
  }

  @Test(arguments: [
    ("token-exchange", "agent-cli", "exchanges"), ("client-credentials", "agent-workload", "client_grants"),
  ])
  func `is let in by an exchange, or as the client itself`(grant: String, client: String, counter: String) throws {
    try Self.with { scene in
      try scene.handOut()
      let options = ["--assertion-grant", grant, "--client-id", client]
      let login = try scene.login(options[0], options[1], options[2], options[3])
      try #require(login.succeeded, "\(login.errorText)")
      try scene.handOut([("sub", "job-8")])
      #expect(try !scene.tree.token("ci", "--force-refresh").isEmpty)
      #expect(try scene.issuer.count(counter) == 2)
      try scene.handOut(by: try SignedTokens())
      let refused = try scene.tree.agent("token", "ci", "--force-refresh", "--json")
      #expect(refused.failed(6) && refused.failureCode == "assertion_rejected", "\(refused.errorText)")
      try scene.handOut()
      #expect(try !scene.tree.token("ci", "--force-refresh").isEmpty)
    }
  }

  @Test func `has no secret beside the assertion that proves who the client is`() throws {
    try Self.with { scene in
      try scene.handOut()
      try scene.tree.directory.write("secret", "s3cret")
      let login = try scene.login(
        "--assertion-grant", "client-credentials", "--client-secret-file", scene.tree.path("secret"))
      #expect(login.status == .exited(2) && login.failureCode == "invalid_request", "\(login.errorText)")
      #expect(try scene.issuer.requests() == 0)
    }
  }

  @Test func `needs no daemon`() throws {
    try Self.with { scene in
      try scene.handOut()
      let login = try scene.login(globally: ["--no-daemon"])
      try #require(login.succeeded, "\(login.errorText)")
      let token = try scene.tree.agent("--no-daemon", "token", "ci")
      #expect(token.succeeded && !token.output.isEmpty, "\(token.errorText)")
      #expect(try scene.issuer.count("assertion_grants") == 2)
    }
  }

  @Test(
    arguments: [
      ("exp", .int(1_000_000_000), 3, "assertion_needed"), ("nbf", .int(4_000_000_000), 3, "assertion_needed"),
      ("aud", "https://other.example", 6, "assertion_rejected"), ("sub", nil, 6, "assertion_rejected"),
    ] as [(String, JSON?, Int32, String)])
  func `is told which claim is wrong, and nothing is sent`(
    claim: String, value: JSON?, status: Int32, code: String
  ) throws {
    try Self.with { scene in
      try scene.handOut([(claim, value)])
      let first = try scene.login()
      #expect(first.status == .exited(status) && first.failureCode == code, "\(first.errorText)")
      #expect(first.failure?["message"]?.string?.contains(claim) == true)
      try scene.handOut()
      try #require(try scene.login().succeeded)
      try scene.handOut([(claim, value)])
      let later = try scene.tree.agent("token", "ci", "--force-refresh", "--json")
      #expect(later.failed(status) && later.failureCode == code, "\(later.errorText)")
      #expect(try scene.issuer.count("assertion_grants") == 1 && scene.issuer.count("assertion_failures") == 0)
      try scene.handOut()
      #expect(try !scene.tree.token("ci", "--force-refresh").isEmpty)
    }
  }

  @Test func `is told when the server does not trust the JWT, and goes on with the next one`() throws {
    try Self.with { scene in
      try scene.handOut()
      try #require(try scene.login().succeeded)
      try scene.handOut(by: try SignedTokens())
      let refused = try scene.tree.agent("token", "ci", "--force-refresh", "--json")
      #expect(refused.failed(6) && refused.failureCode == "assertion_rejected", "\(refused.errorText)")
      try scene.handOut()
      #expect(try !scene.tree.token("ci", "--force-refresh").isEmpty)
    }
  }

  @Test func `reads the projected volume of a service account, whose links are replaced`() throws {
    try Self.with { scene in
      func project(_ name: String) throws {
        try scene.handOut([("sub", .string(name))])
        let result = try ProcessRunner.shell(
          """
          cd '\(scene.tree.path("volume"))' && mkdir ..\(name) && mv ../token ..\(name)/token
          chmod 644 ..\(name)/token && ln -s ..\(name) ..data_tmp && mv -T ..data_tmp ..data
          test -L token || ln -s ..data/token token
          """)
        try #require(result.succeeded, "\(result.errorText)")
      }
      try ProcessRunner.shell("mkdir '\(scene.tree.path("volume"))' && chmod 1777 '\(scene.tree.path("volume"))'")
      try project("one")
      let login = try scene.login("--assertion-file", scene.tree.path("volume/token"))
      try #require(login.succeeded, "\(login.errorText)")
      try project("two")
      #expect(try !scene.tree.token("ci", "--force-refresh").isEmpty)
      #expect(try scene.issuer.count("assertion_grants") == 2)
    }
  }

  @Test func `refuses a file that others may write to, and says how to mend it`() throws {
    try Self.with { scene in
      try scene.handOut()
      try ProcessRunner.shell("chmod 666 '\(scene.file)'")
      let result = try scene.login()
      #expect(result.status == .exited(3) && result.failureCode == "assertion_needed", "\(result.errorText)")
      #expect(result.failure?["hint"]?.string?.contains("chmod go-w") == true)
      #expect(try scene.issuer.count("assertion_grants") == 0)
    }
  }

  @Test(arguments: [["--device"], ["--register"], ["--login-hint", "ann"], ["--start"]])
  func `takes no other way to sign in beside it`(options: [String]) throws {
    try Self.with { scene in
      try scene.handOut()
      let added = try scene.tree.agent(
        [
          "account", "add", "ci", "--issuer", scene.issuer.url, "--allow-http-loopback", "--assertion-file", scene.file,
        ] + (options == ["--register"] ? [] : ["--client-id", "agent-cli"]))
      try #require(added.succeeded, "\(added.errorText)")
      let result = try scene.tree.agent(["login", "ci", "--json"] + options)
      #expect(result.status == .exited(2) && result.failureCode == "invalid_request", "\(result.errorText)")
      #expect(try scene.issuer.requests() == 0)
    }
  }
}
