import Encoding
import Platform
import TestSupport
import Testing
import Wire

@Suite struct `Starting the daemon` {
  @Test func `says where agentd is missing`() throws {
    let program = try AgentProgram()
    let result = try program.run(["list"])
    #expect(result.status == .exited(1) && result.outputText == "")
    let places = "\(program.tree.path("libexec/agentd")) nor \(program.tree.path("bin/agentd"))"
    #expect(
      result.errorText
        == "agent: error: agentd is missing: it is neither \(places)\nagent: hint: install agent and agentd together\n")
  }

  @Test(arguments: [
    (#"printf 'first\nagentd: error: no \033[31mluck\n' >&2; exit 1"#, ["list"], "failed to start: no [31mluck"),
    ("printf 1 >&3", ["list"], "ended right after it started"),
    ("echo 'agentd: error: bad luck' >&2; exit 1", ["--no-daemon", "list"], "ended before it answered: bad luck"),
  ])
  func `tells of an agentd that ends too early, its last words made safe`(
    daemon: String, arguments: [String], message: String
  ) throws {
    let result = try AgentProgram(daemon: daemon).run(arguments)
    #expect(
      result == ProcessResult(status: .exited(4), output: [], error: Array("agent: error: agentd \(message)\n".utf8)))
  }

  /// Writes its arguments and environment to a named pipe, then waits at another until the test listens in its place.
  private static let obedient = """
    tree=$(dirname "$(dirname "$0")")
    ls -l /proc/$$/fd > "$tree/go/descriptors"
    { echo "$@"; env; sed -n 's/.* \\([0-9]*\\) -> .*/fd \\1/p' "$tree/go/descriptors"; } > "$tree/go/started"
    cat "$tree/go/listening"
    printf 1 >&3
    """

  private func makePipes(_ program: AgentProgram) throws {
    try ProcessRunner.shell("cd '\(program.tree.path("go"))' && mkfifo started listening end")
  }

  private func startedDaemon(_ program: AgentProgram) throws -> String {
    String(
      decoding: try FileDescriptor(opening: program.tree.path("go/started"), for: .reading).readToEnd(limit: 65_536),
      as: UTF8.self)
  }

  private func release(_ program: AgentProgram, _ pipe: String = "listening") throws {
    try FileDescriptor(opening: program.tree.path("go/\(pipe)"), for: .writing).close()
  }

  @Test func `waits for agentd, which gets a clean environment and one descriptor, and asks it`() throws {
    let program = try AgentProgram(daemon: Self.obedient)
    try makePipes(program)
    // A stale socket file, as left by a crash, is not a daemon.
    do { _ = try FakeDaemon(at: program.runtime) }
    let running = try program.start(["token"])
    let started = try startedDaemon(program).split(separator: "\n")
    #expect(started.first == "--directory \(program.runtime) --socket-name agent.sock --ready-fd 3")
    #expect(started.contains("XDG_RUNTIME_DIR=\(program.tree.path("run"))"))
    #expect(!started.contains { $0.hasPrefix("AGENT_") })
    #expect(started.contains("fd 3") && !started.contains("fd 4") && !started.contains("fd 5"))
    try program.tree.open("run/agent").removeFile("agent.sock")
    let daemon = try FakeDaemon(at: program.runtime)
    try release(program)
    let conversation = try daemon.accept()
    _ = try conversation.receive()
    try conversation.send(FakeDaemon.tokenAnswer())
    #expect(try running.readLine() == "secret-token")
    #expect(try running.wait() == .exited(0))
  }

  @Test func `many callers at a time start one daemon`() throws {
    let program = try AgentProgram(daemon: "echo x >> \"$(dirname \"$0\")/starts\"\n\(Self.obedient)")
    try makePipes(program)
    let callers = try (0..<8).map { _ in try program.start(["token"]) }
    _ = try startedDaemon(program)
    let daemon = try FakeDaemon(at: program.runtime)
    try release(program)
    try daemon.serve([[UInt8]](repeating: FakeDaemon.tokenAnswer(), count: 8))
    for caller in callers {
      #expect(try caller.readLine() == "secret-token")
      #expect(try caller.wait() == .exited(0))
    }
    #expect(try program.tree.readText("libexec/starts") == "x\n")
  }

  @Test func `a directory that others may use is not used`() throws {
    let program = try AgentProgram(daemon: "echo \"$@\" >&2; exit 1")
    try ProcessRunner.shell("chmod 755 '\(program.runtime)'")
    let daemon = try? FakeDaemon(at: program.runtime)
    #expect(daemon == nil)
    let result = try program.run(["list"])
    #expect(result.status == .exited(4))
    // The substitute's last output is its arguments.
    #expect(result.errorText.contains("--directory ") && !result.errorText.contains("--directory \(program.runtime) "))
  }

  @Test func `--no-daemon talks to an agentd of its own and waits for its end`() throws {
    let program = try AgentProgram(
      daemon: """
        [ "$*" = "--connection-fd 3" ] || exit 1
        read -r request <&3
        printf '%s\\n' '{"v":1,"result":{"account":"work"}}' >&3
        cat <&3 >/dev/null
        echo "$request" > "$(dirname "$0")/request"
        """)
    let result = try program.run(["--no-daemon", "use", "work", "--json"])
    #expect(
      result == ProcessResult(status: .exited(0), output: Array("{\"account\":\"work\"}\n".utf8), error: []))
    let request = Array(try program.tree.readText("libexec/request").utf8)
    #expect(try RequestEnvelope(parsing: request.span) == RequestEnvelope(.state(.use(account: "work"))))
  }

  @Test func `a command that exec becomes has no child that it does not know`() throws {
    let program = try AgentProgram(daemon: Self.obedient + "\ncat \"$tree/go/end\"")
    try makePipes(program)
    let running = try program.start(["exec", "--", "sh", "-c", "read -r c < /proc/$$/task/$$/children; echo \"[$c]\""])
    _ = try startedDaemon(program)
    let daemon = try FakeDaemon(at: program.runtime)
    try release(program)
    // The helper that starts the daemon requests its status; the command requests a token.
    for _ in 0..<2 {
      let conversation = try daemon.accept()
      guard let (request, _) = try? conversation.receive() else { continue }
      if case .token = request.request {
        try conversation.send(FakeDaemon.tokenAnswer())
      } else {
        try conversation.send(.result(JSONObject()))
      }
    }
    #expect(try running.readLine() == "[]")
    #expect(try running.wait() == .exited(0))
    try release(program, "end")
  }

  @Test func `status and stop start nothing`() throws {
    let program = try AgentProgram()
    let status = try program.run(["daemon", "status"])
    #expect(
      status.status == .exited(4)
        && status.errorText == "agent: error: the daemon is not running\nagent: hint: agent daemon start\n")
    let stop = try program.run(["daemon", "stop"])
    #expect(
      stop == ProcessResult(status: .exited(0), output: [], error: Array("agent: the daemon is not running\n".utf8)))
  }

  @Test func `stop waits until the process that it stopped has ended`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    // Represents the process, which ends when its input does.
    let ending = try Pipe()
    let process = try Spawn.start(
      Spawn.Request(executable: "/bin/cat", arguments: ["cat"], environment: [], inherits: [(ending.reading.raw, 0)]))
    let running = try program.start(["daemon", "stop"])
    let conversation = try daemon.accept()
    #expect(try conversation.receive().0 == RequestEnvelope(.daemon(.stop)))
    try conversation.send(.result(JSONObject([("pid", .int(Int(process)))])))
    #expect(throws: ProcessFailure.self) { try running.wait(timeout: .milliseconds(200)) }
    try ending.writing.close()
    #expect(try running.wait() == .exited(0))
    #expect(running.errorText == "agent: the daemon was stopped\n")
    #expect(try Spawn.wait(process) == .exited(0))
  }

  @Test func `stop tells of the accounts whose refresh tokens could not be stored`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["daemon", "stop"])
    let conversation = try daemon.accept()
    #expect(try conversation.receive().0 == RequestEnvelope(.daemon(.stop)))
    try conversation.send(.result(JSONObject([("unstored", ["home", "work"])])))
    #expect(try running.wait() == .exited(1))
    #expect(
      running.errorText == """
        agent: error: daemon stopped; the refresh tokens that it could not store are lost: home, work
        agent: hint: agent login home

        """)
  }
}
