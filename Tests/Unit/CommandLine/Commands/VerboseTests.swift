import Encoding
import Platform
import TestSupport
import Testing
import Vocabulary
import Wire

@testable import CommandLine

@Suite struct `--verbose` {
  private func lines(_ result: ProcessResult) -> [String] {
    // Times differ between runs.
    result.errorText.split(separator: "\n").map { line in
      var words = line.split(separator: " ")
      if let unit = words.lastIndex(where: { $0 == "ms" || $0 == "ms:" }), unit > 0 { words[unit - 1] = "N" }
      return words.joined(separator: " ")
    }
  }

  @Test func `tells which daemon was asked for what, and never the token`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([FakeDaemon.tokenAnswer("canary")])
    let result = try program.run(["token", "-v", "--min-valid", "5m", "--force-refresh", "--timeout=9", "work"])
    #expect(result.outputText == "canary\n")
    #expect(!result.errorText.contains("canary"))
    #expect(
      lines(result) == [
        "agent: found the daemon at \(program.runtime)/agent.sock",
        "agent: asking: token for the account work, a new one, good for 5m more, within 9s",
        "agent: answered after N ms",
      ])
  }

  @Test func `tells that the daemon was started, and why`() throws {
    let program = try AgentProgram(daemon: "exec sleep 5")
    try FakeDaemon(at: program.tree.path("elsewhere")).serve([])
    let result = try program.run(
      ["daemon", "status", "-v"], adding: ["AGENT_SOCKET=\(program.tree.path("nowhere/s"))"])
    #expect(
      lines(result) == [
        "agent: the socket is the one that AGENT_SOCKET names",
        "agent: no daemon at \(program.tree.path("nowhere/s")): the directory is missing or open to other users",
        "agent: error: the daemon is not running", "agent: hint: agent daemon start",
      ])
  }

  @Test func `tells how a refused request ended`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve(
      [Reply](repeating: .failure(Failure(.signedOut, "work is signed out")), count: 2).map { $0.serialized() })
    for command in ["token", "status"] {
      #expect(lines(try program.run([command, "-v"])).contains("agent: failed after N ms: work is signed out"))
    }
  }

  @Test func `tells nothing of a client secret or a proxy's password`() throws {
    let program = try AgentProgram()
    try program.tree.write("secret", "canary")
    try FakeDaemon(at: program.runtime).serve([Reply.failure(Failure(.network, "no")).serialized()])
    let result = try program.run(
      ["login", "work", "--verbose", "--issuer", "https://id.example.com", "--client-secret-file", "secret"],
      adding: ["HTTPS_PROXY=http://user:canary@proxy.example.com"])
    #expect(result.errorText.contains("agent: asking: login for the account work\n"))
    #expect(!result.errorText.contains("canary") && result.outputText == "")
  }

  @Test(arguments: [["token", "work"], ["status"], ["env"], ["whoami", "--json"], ["list", "-j"]])
  func `asks the daemon for its steps, and tells them on standard error`(command: [String]) throws {
    let program = try AgentProgram()
    let entries: [LogEvent] = [
      .step(.refreshNeeded(.expiring(secondsLeft: 12, secondsWanted: 60))), .refreshBegan(attempt: 1),
      .step(
        .session(.answered(RequestLine(.token, "POST", url: "https://as.example/token"), status: 200, milliseconds: 34))
      ),
    ]
    let events = entries.flatMap {
      Reply.event(.progress(LogEntry(time: 1_700_000_000, account: "work", event: $0).line)).serialized()
    }
    // A newer daemon may log unknown events, and an older one sends no sentence.
    let others = [
      #"{"time":1,"event":"new","text":"something new"}"#, #"{"time":1,"event":"sign_in_pending","seconds":5}"#,
      #"{"time":1,"event":"started"}"#,
    ]
    let unknown = others.flatMap { Array("{\"v\":1,\"event\":\"progress\",\"entry\":\($0)}\n".utf8) }
    let isToken = command[0] == "token" || command[0] == "env"
    let answer = isToken ? FakeDaemon.tokenAnswer("canary") : Reply.result([:]).serialized()
    try FakeDaemon(at: program.runtime).serve([events + unknown + answer])
    let result = try program.run(command + ["--verbose"])
    #expect(result.succeeded)
    #expect(
      lines(result).dropFirst(2).dropLast() == [
        "agent: work: the cached token has 12 s left, less than 60 s: refreshing",
        "agent: work: refresh began, attempt 1",
        "agent: work: token endpoint: POST https://as.example/token: HTTP status 200 in N ms",
        "agent: something new", #"agent: sign_in_pending {"seconds":5}"#, "agent: started",
      ])
  }

  @Test func `is outdone by --quiet, and silent without being asked for`() throws {
    let program = try AgentProgram()
    try FakeDaemon(at: program.runtime).serve([[UInt8]](repeating: FakeDaemon.tokenAnswer(), count: 2))
    #expect(try program.run(["token", "-v", "-q"]).errorText == "")
    #expect(try program.run(["token"]).errorText == "")
  }
}
