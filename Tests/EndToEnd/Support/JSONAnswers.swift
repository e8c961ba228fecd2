import Encoding
import Platform
import TestSupport
import Testing

/// Checks the output of commands with `--json` against `Tests/Tools/Schema/agent.schema.json`.
struct JSONAnswers {
  let schema: JSONSchema
  /// The names of all commands, as printed by the program.
  let commands: [String]
  /// The commands whose results or failures have been checked.
  private(set) var answered: Set<String> = []
  private(set) var failed: Set<String> = []
  /// The members that commands have printed, as `command: accounts[].name`.
  private(set) var seen: Set<String> = []

  /// Commands whose output is not JSON, with the reason.
  static let withoutJSON = [
    "exec": "what it runs answers", "lease-port": "what it runs answers", "ssh": "what it runs answers",
    "daemon run": "agentd takes its place",
    "completions": "a script for a shell",
    "help": "a text for people", "helper": "what the protocol has",
    "mcp": "what the server and its client say",
  ]

  private static let shared = Result { try JSONAnswers() }

  /// Checks the output of any test's command with `--json` against the schema.
  static func check(_ result: ProcessResult, of arguments: [String]) throws {
    let own = arguments.prefix { $0 != "--" }
    guard own.contains("--json"), !own.contains("--version"), result.succeeded, !result.output.isEmpty else { return }
    let answers = try shared.get()
    let words = own.drop { $0.hasPrefix("-") }
    let command = answers.commands.first { words.starts(with: $0.split(separator: " ").map(String.init)) }
    guard let command, withoutJSON[command] == nil else { return }
    for line in result.lines {
      let value = try JSON(parsing: Array(line.utf8))
      #expect(answers.schema.violations(of: value, by: command) == [], "\(arguments): \(line)")
    }
  }

  init() throws {
    schema = try JSONSchema(parsing: Array(PackageFiles.text("Tests/Tools/Schema/agent.schema.json").utf8))
    let help = try ProcessRunner.run(executable: Programs.path("agent"), arguments: ["help", "--all"])
    let lines = help.outputText.split(separator: "\n", omittingEmptySubsequences: false)
    commands = lines.drop { $0 != "Commands:" }.dropFirst().prefix { !$0.isEmpty }.map { line in
      line.split(separator: " ").prefix { $0.first?.isLowercase == true }.joined(separator: " ")
    }
    try #require(commands.contains("token") && help.outputText.contains("--json"))
  }

  func command(of arguments: [String]) throws -> String {
    let names = commands.filter { arguments.starts(with: $0.split(separator: " ").map(String.init)) }
    return try #require(names.first, "\(arguments)")
  }

  /// The command must succeed, or for `status --check` have this status. Returns the values of the printed lines.
  @discardableResult
  mutating func succeed(_ arguments: [String], in tree: AgentTree, status: Int32 = 0) throws -> [JSON] {
    let command = try command(of: arguments)
    let result = try tree.agent(Self.asking(arguments))
    let isSilent = result.error.isEmpty || command == "decode" && result.errorText.contains("NOT VERIFIED")
    #expect(result.status == .exited(status) && isSilent, "\(arguments): \(result.errorText)")
    answered.insert(command)
    defer { note(result.outputText, of: command) }
    if Self.withoutJSON[command] != nil { return [] }
    let values = try values(result.outputText, of: command, "\(arguments)")
    #expect(
      values.count == 1 || ["login", "workload", "events"].contains(command) && values.count > 1,
      "\(arguments): \(values.count) lines")
    return values
  }

  /// The command must fail without output, except the last event of a sign-in.
  mutating func fail(
    _ arguments: [String], _ status: Int32, _ code: String, in tree: AgentTree, _ changes: [String: String?] = [:]
  ) throws {
    let command = try command(of: arguments)
    let result = try tree.agent(Self.asking(arguments), changes)
    let place = "\(arguments)"
    #expect(result.status == .exited(status), "\(place): \(result.errorText)")
    #expect(try values(result.errorText, of: "error", place).map { $0["error"]?["code"]?.string } == [code], "\(place)")
    failed.insert(command)
    guard ["login", "workload"].contains(command), status != 2 else {
      #expect(result.output.isEmpty, "\(place)")
      return
    }
    let last = try #require(try values(result.outputText, of: "login", place).last, "\(place)")
    #expect(last["event"] == "error" && last["code"]?.string == code, "\(place)")
  }

  /// The values of complete lines, each checked against the schema.
  private func values(_ text: String, of name: String, _ place: String) throws -> [JSON] {
    #expect(text.isEmpty || text.hasSuffix("\n"), "\(place)")
    return try text.split(separator: "\n").map { line in
      let value = try JSON(parsing: Array(line.utf8))
      #expect(schema.violations(of: value, by: name) == [], "\(place): \(line)")
      // A schema that permits everything must not make the check succeed.
      var more = try #require(value.object, "\(place)")
      more["no_such_member"] = 1
      #expect(schema.violations(of: .object(more), by: name) != [], "\(place)")
      return value
    }
  }

  /// The members in the schema for these commands that no result contained. Excludes members of error objects, which
  /// are the same for all.
  func missing(of commands: some Sequence<String>) -> [String] {
    // Members of failures, and those that require a file in `/etc`.
    let elsewhere = ["problem.", "error.", "preset"]
    return commands.flatMap { command in schema.paths(of: command).map { "\(command): \($0)" } }
      .filter { path in !seen.contains(path) && !elsewhere.contains { path.contains($0) } }.sorted()
  }

  private mutating func note(_ text: String, of command: String) {
    for line in text.split(separator: "\n") {
      guard let value = try? JSON(parsing: Array(line.utf8)) else { continue }
      seen.formUnion(Self.paths(in: value, after: "\(command): "))
    }
  }

  static func paths(in value: JSON, after prefix: String) -> Set<String> {
    var found: Set<String> = []
    for name in value.object?.names ?? [] {
      found.insert(prefix + name)
      if let inner = value[name] { found.formUnion(paths(in: inner, after: "\(prefix)\(name).")) }
    }
    for element in value.array ?? [] { found.formUnion(paths(in: element, after: prefix.dropLast() + "[].")) }
    return found
  }

  /// Adds `--json` before the arguments for another program.
  private static func asking(_ arguments: [String]) -> [String] {
    let own = arguments.prefix { $0 != "--" }
    return own + ["--json"] + arguments[own.endIndex...]
  }
}
