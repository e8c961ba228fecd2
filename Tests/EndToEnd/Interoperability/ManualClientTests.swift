import Platform
import TestSupport
import Testing

/// The clients shown in agent-protocol(7), run verbatim with the real daemon.
@Suite(.needsPrograms) struct `A client of the socket in another language` {
  private static func write(_ number: Int, to tree: AgentTree) throws -> String {
    let programs = try Manual.programs(in: "agent-protocol.7")
    try #require(programs.count == 3)
    #expect(programs.allSatisfy { $0.count <= 13 })
    try tree.directory.write("home/client", Array((programs[number].joined(separator: "\n") + "\n").utf8))
    return tree.path("home/client")
  }

  @Test(arguments: [(0, "sh"), (1, "python3")]) func `gets a token, or is told why not`(
    number: Int, interpreter: String
  ) throws {
    try Session.with { session in
      let client = try Self.write(number, to: session.tree)
      func run() throws -> ProcessResult {
        try session.tree.shell("sh", "exec \(interpreter) '\(client)'")
      }
      #expect(try run().outputText == "\(try session.tree.token())\n")
      #expect(try session.tree.agent("logout", "work").succeeded)
      let refused = try run()
      #expect(!refused.succeeded && (number == 0 || refused.errorText.contains("signed_out: work is signed out")))
    }
  }

  @Test func `follows what happens`() throws {
    try Session.with { session in
      let client = try Self.write(2, to: session.tree)
      let follower = try RunningProcess(
        executable: "/usr/bin/python3", arguments: [client], environment: session.tree.environment())
      #expect(try follower.readLine() == "ready")
      _ = try session.tree.token("work", "--force-refresh")
      #expect(try follower.readLine() == "refreshed work")
      #expect(try session.tree.agent("logout", "work").succeeded)
      #expect(try follower.readLine() == "signed_out work")
      try session.tree.stopDaemon()
      #expect(throws: ProcessFailure.self) { try follower.readLine() }
    }
  }
}
