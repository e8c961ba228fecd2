import AgentClient
import TestSupport
import Testing

/// Uses scripts instead of `agent`, which EndToEndTests runs.
@Suite struct `The start of the daemon` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Returns the path of a new program. Another process writes the file, which cannot be executed while a child of
  /// another test has it open.
  private func program(_ script: String) throws -> String {
    let path = scratch.path("agent")
    let result = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", #"cat >"$1" && chmod 700 "$1""#, "sh", path],
      input: Array("#!/bin/sh\n\(script)\n".utf8))
    try #require(result.succeeded)
    return path
  }

  private func error(starting program: String) async -> AgentError? {
    let agent = Agent(socket: scratch.path("agent.sock"), program: program)
    do throws(AgentError) { try await agent.start() } catch { return error }
    return nil
  }

  @Test func `is the program's, which is told the socket`() async throws {
    let program = try program(#"echo "$* $AGENT_SOCKET" >"$(dirname "$0")/told""#)
    #expect(await error(starting: program) == nil)
    #expect(try scratch.readText("told") == "daemon start --json \(scratch.path("agent.sock"))\n")
  }

  @Test func `fails with the error that the program tells`() async throws {
    let program = try program(
      #"echo note >&2; echo '{"error":{"code":"storage","message":"so it is","hint":"agent help"}}' >&2; exit 1"#)
    let expected = AgentError(.fixConfiguration, code: "storage", message: "so it is", hint: "agent help")
    #expect(await error(starting: program) == expected)
  }

  @Test(arguments: ["exit 1", "echo no words of ours; exit 1", "echo '{}'; exit 1"])
  func `fails when the program tells nothing of use`(script: String) async throws {
    let program = try program(script)
    let expected = AgentError(
      .tryLater, code: "daemon_unavailable", message: "\(program) could not start the daemon")
    #expect(await error(starting: program) == expected)
  }

  @Test func `fails when there is no such program`() async {
    let expected = AgentError(
      .fixConfiguration, code: "invalid_configuration", message: "program not found: /nonexistent/agent")
    #expect(await error(starting: "/nonexistent/agent") == expected)
  }
}
