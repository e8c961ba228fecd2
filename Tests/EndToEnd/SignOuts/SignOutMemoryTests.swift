import Crypto
import Encoding
import Platform
import TestSupport
import Testing

@Suite(.needsPrograms, .needsForeignMemory) struct `After a sign-out` {
  /// A tree at a ``CanaryIssuer`` whose account `work` has used every feature.
  private struct Scene {
    let tree: AgentTree
    let issuer: CanaryIssuer
    let secrets: TemporaryDirectory
    let daemon: Int32

    var canaries: Canaries { issuer.canaries }

    static func with(_ body: (Scene) throws -> Void) throws {
      let issuer = try CanaryIssuer()
      try AgentTree.with { tree in
        let secrets = try TemporaryDirectory()
        try secrets.write("client", issuer.canaries.clientSecret)
        try secrets.write("refresh", issuer.canaries.refresh)
        _ = try tree.json("daemon", "start")
        let scene = Scene(tree: tree, issuer: issuer, secrets: secrets, daemon: try tree.daemon())
        try body(scene)
      }
    }

    func line(_ command: String, _ account: String, _ options: String...) -> [String] {
      [command == "import" ? "account" : command] + (command == "import" ? ["import"] : []) + [account]
        + ["--issuer", issuer.url, "--client-id", CanaryIssuer.clientID, "--allow-http-loopback", "--json"]
        + ["--client-secret-file", secrets.path("client")] + options
    }

    func run(_ line: [String]) throws {
      let result = try tree.agent(line)
      try #require(result.succeeded, "\(line): \(result.errorText)")
    }

    /// Fails after receiving an authorization code: the ID Token is refused, because the issuer signs the same one
    /// for all, without a nonce (OpenID Connect Core section 3.1.3.7).
    func signInByBrowser(_ account: String) throws {
      let login = try BrowserLogin(tree, line("login", account, "--browser", "--no-open"))
      let query = "code=\(Canaries.percentEncoded(canaries.code))&state=\(Canaries.percentEncoded(try login.state()))"
      try #require(try ProcessRunner.shell("\(BrowserLogin.curl) '\(login.redirectURI)?\(query)'").succeeded)
      let end = try login.end()
      #expect(end.event["event"] == "error", "\(end.event)")
    }

    func useEverything(_ account: String) throws {
      try run(["account", "set", account, "--host", issuer.url])
      let commands = [
        ["token", account], ["token", account, "--id-token"], ["token", account, "--header"],
        ["token", account, "--force-refresh"], ["token", account, "--scope", "openid"], ["env", "-a", account],
        ["exec", account, "--", "true"], ["request", "\(issuer.url)/resource", "-a", account],
        ["whoami", account], ["status", account, "--check"],
      ]
      for command in commands { try run(command) }
    }

    /// The locations of the canaries in the daemon's memory.
    func places() throws -> [ProcessMemory.Place] {
      try ProcessMemory(of: daemon).places(of: canaries.named.filter { $0.name != "user code" })
    }
  }

  @Test func `no secret of the session is in the daemon's memory or in a file`() throws {
    try Scene.with { scene in
      try scene.run(scene.line("login", "work", "--device"))
      try scene.run(scene.line("import", "brought", "--refresh-token-file", scene.secrets.path("refresh")))
      try scene.signInByBrowser("browsed")
      for account in ["work", "brought"] { try scene.useEverything(account) }
      // The search finds existing secrets.
      let issuer = try ProcessMemory(of: scene.daemon).places(of: [("issuer", scene.issuer.url)])
      #expect(!issuer.isEmpty)
      try scene.run(["logout", "--all"])
      let places = try scene.places()
      #expect(places.isEmpty, "\(places)")
      try scene.canaries.expectNone(inFilesOf: scene.tree)
    }
  }
}
