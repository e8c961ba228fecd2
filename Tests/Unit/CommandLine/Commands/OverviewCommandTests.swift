import Encoding
import Platform
import TestSupport
import Testing
import Wire

@testable import CommandLine

@Suite struct `The program without a command` {
  private static let beginning = """
    to sign in, to one of many services or your own: agent login
    then, to get a token: agent token
    for help: agent help

    """

  @Test func `says how to begin where nothing is set up, without a daemon`() throws {
    let program = try AgentProgram()
    let result = try program.run([])
    #expect(result == ProcessResult(status: .exited(0), output: Array(Self.beginning.utf8), error: []))
    #expect(OverviewCommand.text(JSONObject([("accounts", .array([]))]), Presentation(now: 0)) == Self.beginning)
  }

  /// In the format of a `status` response.
  private static func account(_ name: String, isActive: Bool = false, problem: JSON = .null) -> JSON {
    .object(
      JSONObject([
        ("name", .string(name)), ("active", .bool(isActive)), ("state", "active"), ("expires_at", 3600),
        ("problem", problem),
      ]))
  }

  @Test func `says how the accounts are, a line for each`() throws {
    let failure = JSON.object(
      JSONObject([("code", "network_error"), ("message", "it is away"), ("hint", "agent list")]))
    let result = JSONObject([
      ("accounts", .array([Self.account("work", isActive: true), Self.account("home", problem: failure)]))
    ])
    let lines = OverviewCommand.text(result, Presentation(now: 0)).split(separator: "\n")
    #expect(
      lines.prefix(3) == [
        "   ACCOUNT  STATE      TOKEN", "*  work     signed in  1h left", "   home     signed in  1h left",
      ])
    #expect(lines.count == 4 && lines[3].hasPrefix("   it is away"))
  }

  @Test func `names ten accounts, and says how many more there are`() {
    let accounts = (1...12).map { Self.account("a\($0)") }
    let lines = OverviewCommand.text(JSONObject([("accounts", .array(accounts))]), Presentation(now: 0)).split(
      separator: "\n")
    #expect(lines.count == 12 && lines.last == "and 2 more: agent list")
  }

  @Test func `asks the daemon where there are settings, or with --json`() throws {
    let program = try AgentProgram()
    let answer = Reply.result(JSONObject([("accounts", .array([Self.account("work", isActive: true)]))])).serialized()
    try FakeDaemon(at: program.runtime).serve([answer, answer])
    let json = try program.run(["--json"])
    #expect(json.status == .exited(0) && json.outputText.hasPrefix(#"{"accounts":[{"name":"work""#))
    _ = try program.tree.open("home/.config/agent")
    try program.tree.write("home/.config/agent/config.json", "{}")
    let text = try program.run([])
    #expect(text.status == .exited(0) && text.outputText.hasPrefix("   ACCOUNT  STATE\n*  work     signed in\n"))
  }
}
