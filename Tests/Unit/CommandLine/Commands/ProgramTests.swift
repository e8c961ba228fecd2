import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `The program` {
  private let expired = Failure(.sessionExpired, "session expired, please sign in again", hint: "agent login work")

  @Test func `prints a token of the running daemon`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([FakeDaemon.tokenAnswer()])
    let result = try program.run(["token"])
    #expect(result == ProcessResult(status: .exited(0), output: Array("secret-token\n".utf8), error: []))
  }

  @Test func `asks what the command line says`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let running = try program.start(["token", "--min-valid", "5m", "--force-refresh", "--timeout=9", "work"])
    let conversation = try daemon.accept()
    let (request, passed) = try conversation.receive()
    #expect(passed == nil)
    #expect(
      request
        == RequestEnvelope(
          .token(TokenRequest(account: "work", minimumValiditySeconds: 300, forceRefresh: true)), timeoutSeconds: 9))
    try conversation.send(FakeDaemon.tokenAnswer("t"))
    #expect(try running.readLine() == "t")
    #expect(try running.wait() == .exited(0))
  }

  @Test func `takes the account from AGENT_ACCOUNT, and AGENT_SOCKET for the place`() throws {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.tree.path("elsewhere"), name: "s")
    try Threads.start(name: "fake-daemon") {
      guard let conversation = try? daemon.accept(), let (request, _) = try? conversation.receive() else { return }
      guard case .token(let token) = request.request else { return }
      try? conversation.send(FakeDaemon.tokenAnswer(token.account ?? "none"))
    }
    let result = try program.run(
      ["token"], adding: ["AGENT_ACCOUNT=play", "AGENT_SOCKET=\(program.tree.path("elsewhere/s"))"])
    #expect(result == ProcessResult(status: .exited(0), output: Array("play\n".utf8), error: []))
  }

  @Test func `says that a name is that of AGENT_ACCOUNT when there is no account of it`() throws {
    let program = try AgentProgram()
    let failure = Failure.noAccount(named: "gone", hint: "agent list")
    try FakeDaemon(at: program.runtime).serve(
      [Reply](repeating: .failure(failure), count: 3).map { $0.serialized() })
    let error = "agent: error: no account is called gone\n"
    let inherited = try program.run(["token"], adding: ["AGENT_ACCOUNT=gone"])
    #expect(inherited.errorText == error + "agent: hint: AGENT_ACCOUNT sets it in this shell; agent list\n")
    // The account is typed, or differs from the variable.
    for (arguments, variable) in [(["token", "gone"], "gone"), (["token"], "other")] {
      let result = try program.run(arguments, adding: ["AGENT_ACCOUNT=\(variable)"])
      #expect(result.errorText == error + "agent: hint: agent list\n")
    }
  }

  @Test func `says that AGENT_ACCOUNT goes before the account that is made the active one`() throws {
    let program = try AgentProgram()
    let answer = Reply.result(JSONObject([("account", "work")])).serialized()
    try FakeDaemon(at: program.runtime).serve([[UInt8]](repeating: answer, count: 5))
    let done = "agent: work is now the active account\n"
    let note =
      "agent: AGENT_ACCOUNT=play in this shell overrides the active account until you unset it\n"
    #expect(try program.run(["use", "work"], adding: ["AGENT_ACCOUNT=play"]).errorText == done + note)
    #expect(try program.run(["use", "work"], adding: ["AGENT_ACCOUNT=work"]).errorText == done)
    // Without the variable, the account of the directory is asked for.
    #expect(try program.run(["use", "work"]).errorText == done)
    #expect(try program.run(["use", "work", "--json"], adding: ["AGENT_ACCOUNT=play"]).errorText == "")
  }

  @Test(
    arguments: [
      (.sessionExpired, 3), (.noAccount, 3), (.network, 4), (.locked, 5), (.accessDenied, 6), (.storage, 1),
      (.invalidRequest, 2),
    ] as [(FailureCode, Int32)])
  func `leaves standard output empty and says why when it fails`(code: FailureCode, status: Int32) throws {
    let program = try AgentProgram()
    let failure = Failure(code, "what happened", hint: "what helps")
    try FakeDaemon(at: program.runtime).serve(
      [Reply](repeating: .failure(failure), count: 2).map { $0.serialized() })
    #expect(
      try program.run(["token"])
        == ProcessResult(
          status: .exited(status), output: [],
          error: Array("agent: error: what happened\nagent: hint: what helps\n".utf8)))
    let json = try program.run(["token", "--json"])
    #expect(json.status == .exited(status) && json.output == [])
    #expect(try JSON(parsing: json.error.dropLast())["error"] == failure.json)
  }

  @Test func `env prints only a statement that sets the status when it fails`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([Reply.failure(expired).serialized()])
    let result = try program.run(["env"])
    #expect(result.status == .exited(3) && result.outputText == "(exit 3);\n")
    let usage = try program.run(["env", "--shel", "sh"])
    #expect(usage.status == .exited(2) && usage.outputText == "(exit 2);\n")
  }

  @Test func `env stops a strict script through eval, and sets the variables when it works`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([
      Reply.failure(expired).serialized(), FakeDaemon.tokenAnswer("a b'$x".filter { $0 != " " }),
    ])
    let script = "set -e; eval \"$(\"$0\" env 2>/dev/null)\"; echo \"$AGENT_ACCESS_TOKEN ${AGENT_SUBJECT-unset}\""
    func run() throws -> ProcessResult {
      try ProcessRunner.run(
        executable: "/bin/sh", arguments: ["-c", script, program.tree.path("bin/agent")],
        environment: program.environment)
    }
    #expect(try run() == ProcessResult(status: .exited(3), output: [], error: []))
    #expect(try run() == ProcessResult(status: .exited(0), output: Array("ab'$x unset\n".utf8), error: []))
  }

  @Test func `env --unset starts no daemon`() throws {
    let result = try AgentProgram().run(["env", "--unset"])
    #expect(result.succeeded && result.errorText == "")
    #expect(result.outputText == (try TokenVariables([])).names.map { "unset \($0);\n" }.joined())
  }

  @Test func `a write error on standard output is an error`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([FakeDaemon.tokenAnswer()])
    let result = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", "\"$0\" token > /dev/full", program.tree.path("bin/agent")],
      environment: program.environment)
    #expect(
      result
        == ProcessResult(
          status: .exited(1), output: [],
          error: Array(
            "agent: error: cannot write the answer to standard output: No space left on device\n".utf8)))
  }

  @Test func `a reader of standard output that has gone is told of to nobody`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([FakeDaemon.tokenAnswer(), FakeDaemon.tokenAnswer()])
    // The pipe had a reader, but has none when the program begins.
    let script = """
      mkfifo pipe && exec 3<>pipe 4>pipe 3<&-
      "$0" token >&4; one=$?; "$0" token --json >&4; two=$?; "$0" --help >&4; echo $one $two $?
      """
    let result = try ProcessRunner.run(
      executable: "/bin/sh",
      arguments: ["-c", "cd '\(program.tree.path("home"))' && " + script, program.tree.path("bin/agent")],
      environment: program.environment)
    #expect(result == ProcessResult(status: .exited(0), output: Array("1 1 1\n".utf8), error: []))
  }

  @Test func `exec sets the variables and becomes the command`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([FakeDaemon.tokenAnswer()])
    let script = "echo $AGENT_ACCESS_TOKEN ${AGENT_SUBJECT-unset} $HOME \"$1\"; exit 42"
    let result = try program.run(["exec", "--", "sh", "-c", script, "sh", "two  words"])
    #expect(result.status == .exited(42) && result.errorText == "")
    #expect(result.outputText == "secret-token unset \(program.tree.path("home")) two  words\n")
  }

  @Test func `exec passes arguments and variables on that are not UTF-8`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([FakeDaemon.tokenAnswer()])
    let script = #"v=$(printf 'a\377b'); X=$v "$0" exec -- printenv X; "#
    let echo = #""$0" exec -- printf %s "$(printf 'c\376d')""#
    try FakeDaemon(at: program.tree.path("second")).serve([FakeDaemon.tokenAnswer()])
    let second = "AGENT_SOCKET='\(program.tree.path("second/agent.sock"))'; export AGENT_SOCKET; "
    let result = try ProcessRunner.run(
      executable: "/bin/sh", arguments: ["-c", script + second + echo, program.tree.path("bin/agent")],
      environment: program.environment)
    #expect(result.output == [0x61, 0xFF, 0x62, 0x0A, 0x63, 0xFE, 0x64])
  }

  @Test(
    arguments: [("no-such-command", 127, "command not found"), ("/etc", 126, "Permission denied")]
      as [(String, Int32, String)])
  func `exec tells a missing command from one that cannot run, as shells do`(
    command: String, status: Int32, reason: String
  ) throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([FakeDaemon.tokenAnswer()])
    #expect(
      try program.run(["exec", "--", command])
        == ProcessResult(
          status: .exited(status), output: [],
          error: Array("agent: error: cannot run \"\(command)\": \(reason)\n".utf8)))
  }

  @Test func `prints its version and its help without a daemon`() throws {
    let program = try AgentProgram()
    #expect(try program.run(["--version"]).outputText == "agent \(Product.version)\n")
    #expect(try program.run(["--help"]).outputText == HelpWriter().help(onProgram: Main.commands))
    #expect(try program.run(["token", "-h"]).outputText == HelpWriter().help(on: Main.commands.named(.token)))
  }

  @Test func `prints its version and commit as JSON without a daemon, and starts none`() throws {
    let program = try AgentProgram()
    let result = try program.run(["--version", "--json"])
    let object = try JSON(parsing: result.output).object
    #expect(object?["version"] == .string(Product.version) && object?["daemon"] == nil, "\(result.outputText)")
    #expect(result.errorText == "")
  }

  @Test func `prints beside its version what a daemon says of itself, or why it does not`() throws {
    let program = try AgentProgram()
    let told: JSONObject = ["version": "9.9.9", "commit": "ab", "libraries": ["libcurl": "8.5.0"]]
    var status = told
    status["pid"] = 7
    try FakeDaemon(at: program.runtime).serve([Reply.result(status).serialized()])
    let daemon = try JSON(parsing: program.run(["--version", "--json"]).output)["daemon"]
    #expect(daemon == .object(told))

    let other = try AgentProgram()
    try FakeDaemon(at: other.runtime).serve([[], [], []])
    let result = try other.run(["--version", "--json"])
    #expect(result.status == .exited(0), "\(result.errorText)")
    #expect(try JSON(parsing: result.output)["daemon"]?["problem"]?["code"] == "daemon_unavailable")
  }

  @Test func `prints nothing of a daemon that hangs up twice, and says so`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([[], [], []])
    let result = try program.run(["list"])
    #expect(result.status == .exited(4) && result.outputText == "")
    #expect(result.errorText == "agent: error: the daemon ended before it answered\n")
  }

  @Test(arguments: [["token"], ["token", "--quiet"], ["status", "--json"]])
  func `asks the next daemon when the one it met was just ending`(arguments: [String]) throws {
    let program = try AgentProgram()
    let ending = Reply.failure(Failure(.daemonUnavailable, "the daemon is stopping", hint: "try again")).serialized()
    let answer =
      arguments[0] == "token"
      ? FakeDaemon.tokenAnswer("t") : Reply.result(JSONObject([("accounts", .array([]))])).serialized()
    // The fast path falls back to the general one, which asks again.
    let refusals = arguments.count == 1 ? 2 : 1
    try FakeDaemon(at: program.runtime).serve([[UInt8]](repeating: ending, count: refusals) + [answer])
    let result = try program.run(arguments)
    #expect(result.status == .exited(0), "\(result.errorText)")
  }

  @Test func `does not repeat a sign-out that may have been carried out`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([[], Reply.result(JSONObject([("accounts", .array([]))])).serialized()])
    #expect(try program.run(["logout", "work"]).status == .exited(4))
  }
}
