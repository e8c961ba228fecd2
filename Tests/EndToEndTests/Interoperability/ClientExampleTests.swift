import Encoding
import Platform
import TestSupport
import Testing

/// The package in Tests/Example, which uses the library product from outside.
@Suite(.needsPrograms) struct `A program that uses the client library` {
  /// Built once, beside what this package builds.
  private static let program = Result { () throws -> String in
    let package = "\(Manual.top)/Tests/Example"
    let scratch = "\(Manual.top)/.build/example"
    let result = try ProcessRunner.run(
      executable: "/bin/sh",
      // Without that file the sources are looked for anew: a build looks only at those that it found before.
      arguments: [
        "-c", "rm -f '\(scratch)/debug.yaml'; exec swift build --package-path '\(package)' --scratch-path '\(scratch)'",
      ],
      environment: Environment.all().map { "\($0.0)=\($0.1)" }, timeout: .seconds(900))
    let hasBuilt = result.succeeded
    try #require(hasBuilt, "\(result.outputText)\n\(result.errorText)")
    return "\(scratch)/debug/example"
  }

  @Test func `is told who is signed in, gets a token and sees it renewed`() throws {
    let program = try Self.program.get()
    try Issuer.with(["--claim", "email=ann@example.com"]) { issuer in
      try AgentTree.with { tree in
        try tree.signIn(at: issuer.url, "--scope", "openid email offline_access")
        let subject = try tree.json("whoami")["subject"]?.string ?? ""
        let installation = try tree.json("status")["vault"]?["installation"]?.string ?? ""
        let length = try tree.token().utf8.count
        let result = try ProcessRunner.run(
          executable: program, arguments: ["work"], environment: tree.environment(), timeout: .seconds(30))
        #expect(result.succeeded, "\(result.errorText)")
        let expiry = try tree.json("token")["expires_at"]?.int ?? 0
        #expect(
          result.lines == [
            "account work, issuer \(issuer.url), subject \(subject)",
            "email ann@example.com, token of \(length) bytes", "installation \(installation)",
            "event: refreshed, account work, until \(expiry)",
          ])
        #expect(try tree.agent("logout").succeeded)
        let signedOut = try ProcessRunner.run(
          executable: program, arguments: ["work"], environment: tree.environment(), timeout: .seconds(30))
        #expect(signedOut.outputText == "please sign in: agent login work\n")
        try tree.stopDaemon()
        let alone = try ProcessRunner.run(
          executable: program, arguments: [], environment: tree.environment(), timeout: .seconds(30))
        #expect(alone.outputText == "not now: the daemon is not running\n")
      }
    }
  }
}
