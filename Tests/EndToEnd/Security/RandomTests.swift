import Encoding
import Platform
import TestSupport
import Testing

/// RFC 4086 section 5. A preloaded library replaces libcrypto's generator in the real daemon.
@Suite(.needsPrograms, .needsFaults) struct `The random numbers of a sign-in` {
  /// Begins a sign-in by browser. All bytes of the generator have this value; if nil, it fails.
  private static func begin(
    byte: Int?, _ body: (_ issuer: Issuer, _ begun: ProcessResult) throws -> Void
  ) throws {
    try Issuer.with { issuer in
      // Without pushed requests, the values are in the URL.
      try issuer.control("break_metadata", "no_par")
      try AgentTree.with { tree in
        let library = tree.path("random.so")
        let made = try ProcessRunner.shell(
          "cc -O1 -shared -fPIC -o '\(library)' '\(PackageFiles.path("Tests/Tools/Faults/random.c"))'")
        try #require(made.succeeded, "\(made.errorText)")
        let daemon = try RunningProcess(
          executable: Programs.path("agentd"), arguments: ["--foreground"],
          environment: tree.environment(["LD_PRELOAD": library, "RANDOM_BYTE": byte.map { "\($0)" }]))
        let deadline = Instant.now.advanced(by: .testLimit)
        while try !tree.agent("daemon", "status").succeeded {
          try #require(Instant.now < deadline, "\(daemon.errorText)")
          Threads.sleep(for: .milliseconds(20))
        }
        try body(
          issuer,
          try tree.agent(
            "login", "work", "--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--browser",
            "--no-open", "--start", "--json"))
      }
    }
  }

  /// The values of the authorization request that must be random.
  private static func values(byte: Int) throws -> [String] {
    var values: [String] = []
    try begin(byte: byte) { _, begun in
      let event = try JSON(parsing: Array(try #require(begun.lines.first, "\(begun.errorText)").utf8))
      let url = try #require(event["url"]?.string, "\(begun)")
      values = try ["state", "nonce", "code_challenge"].map { try BrowserLogin.value(of: $0, in: url) }
    }
    return values
  }

  @Test func `come from libcrypto's generator alone`() throws {
    let first = try Self.values(byte: 65)
    #expect(first.count == 3)
    #expect(try Self.values(byte: 65) == first)
    let other = try Self.values(byte: 66)
    #expect(zip(first, other).allSatisfy { $0 != $1 } && other.count == 3)
  }

  @Test func `are not replaced by others where the generator fails, and nothing is asked`() throws {
    try Self.begin(byte: nil) { _, begun in
      #expect(begun.status == .exited(1) && begun.failureCode == "internal_error", "\(begun)")
    }
  }
}
