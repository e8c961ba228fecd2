import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `The environment for every shell` {
  private let failure = Failure(.sessionExpired, "session expired, please sign in again")

  private static let ends: [(String, String)] = [
    ("sh", "(exit STATUS);\n"), ("bash", "(exit STATUS);\n"), ("zsh", "(exit STATUS);\n"),
    ("fish", "sh -c \"exit STATUS\";\n"), ("csh", "sh -c \"exit STATUS\";\n"), ("dotenv", ""), ("json", ""),
  ]

  @Test(arguments: ends)
  func `ends with a statement of the shell's own when it fails`(shell: String, end: String) throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([Reply.failure(failure).serialized()])
    let result = try program.run(["env", "--shell", shell])
    #expect(result.status == .exited(3) && result.outputText == end.replacing("STATUS", with: "3"))
    let wrongLines = [
      ["--shell=\(shell)", "--bogus"], ["--var", "PATH=scope", "--shell", shell], ["--shell", shell, "a", "b"],
    ]
    for wrong in wrongLines {
      let result = try program.run(["env"] + wrong)
      #expect(result.status == .exited(2) && result.outputText == end.replacing("STATUS", with: "2"), "\(wrong)")
    }
  }

  @Test func `is for sh when the shell named is none, whatever SHELL says`() throws {
    let program = try AgentProgram()
    let result = try program.run(["env", "--shell", "tcl"], adding: ["SHELL=/usr/bin/fish"])
    #expect(result.status == .exited(2) && result.outputText == "(exit 2);\n")
    #expect(
      result.errorText.hasPrefix(
        "agent: error: \"--shell\" must be one of: sh, bash, zsh, fish, csh, powershell, nu, dotenv, systemd, github-actions, json\n"
      ))
  }

  @Test func `is JSON with --json, and then an error leaves standard output empty`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([FakeDaemon.tokenAnswer(), Reply.failure(failure).serialized()])
    let result = try program.run(["env", "--json"])
    #expect(
      result.outputText
        == #"{"AGENT_ACCESS_TOKEN":"secret-token","AGENT_TOKEN_TYPE":"Bearer","AGENT_TOKEN_EXPIRES_AT":"17","#
        + #""AGENT_ACCOUNT":"work","AGENT_ISSUER":"https://id.example.com"}"# + "\n")
    #expect(result.succeeded && result.errorText == "")
    let failed = try program.run(["env", "--json"])
    #expect(failed.status == .exited(3) && failed.output == [])
    #expect(try JSON(parsing: failed.error.dropLast())["error"] == failure.json)
    let wrong = try program.run(["env", "--json", "--bogus"])
    #expect(wrong.status == .exited(2) && wrong.output == [])
    let both = try program.run(["env", "--json", "--shell", "fish"])
    #expect(both.status == .exited(2) && both.outputText == "sh -c \"exit 2\";\n")
  }

  @Test(arguments: [
    ("sh", "unset A;\nunset B;\n"), ("fish", "set -ge A; true;\nset -ge B; true;\n"),
    ("csh", "unsetenv A;\nunsetenv B;\n"),
    ("dotenv", "A=\"\"\nB=\"\"\n"), ("json", "{\"A\":null,\"B\":null}\n"),
  ]) func `unsets the named variables without asking anybody`(shell: String, expected: String) throws {
    let result = try AgentProgram().run([
      "env", "--unset", "--shell", shell, "--var", "A=id_token", "--var=B=claim:x",
    ])
    #expect(result == ProcessResult(status: .exited(0), output: Array(expected.utf8), error: []))
  }

  @Test func `prints nothing for a workflow whose file cannot be written`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([FakeDaemon.tokenAnswer()])
    let result = try program.run(["env", "--shell", "github-actions"], adding: ["GITHUB_ENV=/nowhere/env"])
    #expect(result.status == .exited(1) && result.output == [])
  }

  private let answer = AnswerLine.make(idToken: "aa.bb.cc", claims: ["email": "a  b*"]) + [0x0A]

  /// Runs a command whose request gets a response, and returns the request.
  private func request(_ arguments: [String]) throws -> (RequestEnvelope, ProcessResult) {
    let program = try AgentProgram()
    let daemon = try FakeDaemon(at: program.runtime)
    let asked = Monitor<RequestEnvelope?>(nil)
    let answer = answer
    try Threads.start(name: "fake-daemon") {
      guard let conversation = try? daemon.accept(), let (request, _) = try? conversation.receive() else { return }
      asked.update { $0 = request }
      try? conversation.send(answer)
    }
    let result = try program.run(arguments)
    return (try #require(asked.withLock { $0 }), result)
  }

  @Test func `asks for claims and the ID Token when a variable needs them`() throws {
    let (plain, _) = try request(["env", "work"])
    #expect(plain == RequestEnvelope(.token(TokenRequest(account: "work", extras: .init(wantsVariables: true)))))
    let (claims, claimResult) = try request(["env", "--var", "EMAIL=claim:email"])
    #expect(claims == RequestEnvelope(.token(TokenRequest(extras: .init(wantsClaims: true))), directory: ""))
    #expect(claimResult.outputText == "EMAIL='a '\"`printf '\\040'`\"'b'\"`printf '\\052'`\"''; export EMAIL;\n")
    let (both, bothResult) = try request([
      "exec", "--var", "EMAIL=claim:email", "--var", "ID=id_token", "--", "sh", "-c",
      "echo \"$EMAIL $ID ${AGENT_ACCESS_TOKEN-none}\"",
    ])
    #expect(
      both == RequestEnvelope(.token(TokenRequest(extras: .init(wantsIDToken: true, wantsClaims: true))), directory: "")
    )
    #expect(bothResult.outputText == "a  b* aa.bb.cc none\n")
    let (idToken, idTokenResult) = try request(["token", "--id-token", "--min-valid", "5m", "--force-refresh"])
    #expect(
      idToken
        == RequestEnvelope(
          .token(TokenRequest(minimumValiditySeconds: 300, forceRefresh: true, extras: .init(wantsIDToken: true))),
          directory: ""))
    #expect(idTokenResult.outputText == "aa.bb.cc\n")
  }

  @Test func `sets nothing and runs nothing when a field has no value`() throws {
    let (_, env) = try request(["env", "--var", "A=account", "--var", "B=claim:other"])
    let message = "agent: error: work has no claim:other, so B is not set\n"
    #expect(env.status == .exited(1) && env.outputText == "(exit 1);\n" && env.errorText.hasPrefix(message))
    let (_, dotenv) = try request(["env", "--shell", "dotenv", "--var", "A=account", "--var", "B=claim:other"])
    #expect(dotenv.status == .exited(1) && dotenv.output == [] && dotenv.errorText.hasPrefix(message))
    let (_, exec) = try request(["exec", "--var", "B=claim:other", "--", "echo", "ran"])
    #expect(exec.status == .exited(1) && exec.output == [] && exec.errorText.hasPrefix(message))
  }

  @Test func `says that there is no ID Token`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([FakeDaemon.tokenAnswer()])
    #expect(
      try program.run(["token", "--id-token"])
        == ProcessResult(
          status: .exited(1), output: [],
          error: Array(
            """
            agent: error: work has no ID Token: it was not requested, or the server issued none
            agent: hint: sign in again with the scope openid: agent login work

            """.utf8)))
  }
}
