import Encoding
import Platform
import TestSupport
import Testing

/// The last steps are the rename, and the fsync of the directory. The reported result and the disk agree.
@Suite(.needsProgramsForLong, .needsFaults) struct `A write whose last step is reported as failed` {
  /// A fault at the last call of a function for a file or directory.
  struct Trial: Sendable, CustomTestStringConvertible {
    let function: String
    let fault: Fault

    var testDescription: String { "\(function) \(fault)" }
  }

  /// EINVAL, ENOTSUP, EIO, ENOSPC and EDQUOT.
  static let trials =
    [22, 95, 5, 28, 122].map { Trial(function: "fsync", fault: .number($0)) }
    + [5, 2].map { Trial(function: "renameat", fault: .done($0)) }

  private static let mostRehearsals = 8

  /// Waits until the daemon has finished the work after a response, which an order would count.
  private static func awaitQuiet(_ daemon: FaultyDaemon) {
    var (count, former) = (0, -1)
    while count != former {
      former = count
      Threads.sleep(for: .milliseconds(300))
      // Before the first order there is no list.
      count = (try? daemon.steps().count) ?? 0
    }
  }

  /// Runs a command with the fault at its last write of the vault.
  private static func run(
    _ trial: Trial, _ tree: AgentTree, _ daemon: FaultyDaemon, _ command: [String]
  ) throws -> ProcessResult {
    // The daemon also reads the vault by itself, which may coincide with a run.
    var (step, former) = (0, -1)
    for _ in 0..<mostRehearsals where step != former {
      awaitQuiet(daemon)
      try daemon.order()
      let rehearsal = try tree.agent(command)
      try #require(rehearsal.succeeded, "\(rehearsal.errorText)")
      let place =
        trial.function == "fsync" ? tree.path("state/agent") : tree.path("state/agent/\(try tree.vaultName())")
      former = step
      step = try #require(try daemon.steps().last { $0.function == trial.function && $0.path == place }).number
    }
    try #require(step == former, "each run takes other steps")
    awaitQuiet(daemon)
    try daemon.order(step, trial.fault)
    let result = try tree.agent(command)
    try daemon.order()
    #expect(try daemon.wasHit())
    return result
  }

  @Test(arguments: trials) func `stops no refresh`(trial: Trial) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let daemon = try FaultyDaemon(tree, at: [tree.path("state/agent")])
        try tree.signIn(at: issuer.url)
        let result = try Self.run(trial, tree, daemon, ["token", "work", "--force-refresh"])
        #expect(result.succeeded, "\(result.errorText)")
        try daemon.restart()
        #expect(try !tree.token("work", "--force-refresh").isEmpty)
        #expect(try issuer.count("reuse_detected") == 0)
        try daemon.kill()
      }
    }
  }

  @Test(arguments: trials) func `leaves a sign-in that is either kept or gone`(trial: Trial) throws {
    try Issuer.with { issuer in
      try AgentTree.with { tree in
        let daemon = try FaultyDaemon(tree, at: [tree.path("state/agent")])
        try tree.signIn("home", at: issuer.url)
        let login = ["--issuer", issuer.url, "--client-id", "agent-cli", "--allow-http-loopback", "--device"]
        let result = try Self.run(trial, tree, daemon, ["login", "work"] + login)
        let state = try tree.json("list")["accounts"]?.array?.first { $0["name"] == "work" }?["state"]?.string
        try daemon.restart()
        let token = try tree.agent("token", "work", "--force-refresh")
        #expect(
          result.succeeded && state == "active" && token.succeeded,
          "\(result.errorText) \(state ?? "-") \(token.errorText)")
        try daemon.kill()
      }
    }
  }
}
