import Encoding
import Platform
import TestSupport
import Testing

/// A home directory for the programs under test, which use nothing outside it and no other daemon.
final class AgentTree: Sendable {
  let directory: TemporaryDirectory
  private let variables: [(name: String, value: String)]

  /// Stops the tree's remaining processes after `body`, and checks that they are gone.
  static func with<Result>(
    runtime: String = "runtime", _ body: (AgentTree) throws -> Result
  ) throws -> Result {
    let tree = try AgentTree(runtime: runtime)
    defer { tree.close() }
    return try body(tree)
  }

  /// Creates a tree for code that cannot be in ``with(runtime:_:)``. Call ``close()`` at the end.
  static func start() throws -> AgentTree { try AgentTree(runtime: "runtime") }

  private init(runtime: String) throws {
    directory = try TemporaryDirectory()
    for name in ["home", "config", "state", "cache", runtime] { _ = try directory.open(name) }
    variables = [
      ("PATH", "\(try #require(Programs.folder)):/usr/local/bin:/usr/bin:/bin"), ("LANG", "C.UTF-8"),
      ("HOME", directory.path("home")), ("XDG_CONFIG_HOME", directory.path("config")),
      ("XDG_STATE_HOME", directory.path("state")), ("XDG_CACHE_HOME", directory.path("cache")),
      ("XDG_RUNTIME_DIR", directory.path(runtime)),
    ]
  }

  func path(_ name: String) -> String { directory.path(name) }

  var socketPath: String { directory.path("runtime/agent/agent.sock") }

  /// The environment of each program, with some variables changed, or removed if nil.
  func environment(_ changes: [String: String?] = [:]) -> [String] {
    let kept = variables.filter { changes[$0.name] == nil }.map { "\($0.name)=\($0.value)" }
    return kept + changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }

  // MARK: Running

  /// Runs `agent` to its end. A sign-in with options that only `agent account` has is split into two commands.
  ///
  /// - Returns: The result of the command that failed, or of the last one.
  func agent(
    _ arguments: [String], _ changes: [String: String?] = [:], input: String = "",
    timeout: Duration = .testLimit
  ) throws -> ProcessResult {
    let (settings, arguments) = try split(arguments)
    if let settings {
      let result = try exactly(settings, changes, timeout: timeout)
      guard result.succeeded else { return result }
    }
    return try exactly(arguments, changes, input: input, timeout: timeout)
  }

  func exactly(
    _ arguments: [String], _ changes: [String: String?] = [:], input: String = "",
    timeout: Duration = .testLimit
  ) throws -> ProcessResult {
    let result = try ProcessRunner.run(
      executable: Programs.path("agent"), arguments: arguments, environment: environment(changes),
      input: Array(input.utf8), timeout: timeout)
    try Hints.check(result, in: self, of: arguments)
    try Catalogue.check(result, of: arguments)
    try JSONAnswers.check(result, of: arguments)
    return result
  }

  func agent(_ arguments: String...) throws -> ProcessResult { try agent(arguments) }

  /// Starts `agent` in the background, after changing settings that `agent login` does not accept.
  func start(_ arguments: [String], _ changes: [String: String?] = [:]) throws -> RunningProcess {
    try RunningProcess(
      executable: Programs.path("agent"), arguments: prepared(arguments, changes), environment: environment(changes))
  }

  /// Runs a script in a shell that finds `agent` on its `PATH`.
  func shell(
    _ shell: String, _ script: String, _ changes: [String: String?] = [:], in directory: String? = nil
  ) throws -> ProcessResult {
    let result = try ProcessRunner.run(
      executable: "/bin/\(shell)", arguments: ["-c", script], environment: environment(changes),
      directory: directory ?? path("home"))
    try Hints.check(Hints.all(in: result), in: self, of: [script])
    try Catalogue.check(result.errorText, of: [script])
    return result
  }

  // MARK: Shorthands

  func token(_ account: String = "work", _ options: String...) throws -> String {
    let result = try agent(["token", account] + options)
    try #require(result.succeeded, "\(result.errorText)")
    try #require(result.output.last == UInt8(ascii: "\n"))
    return String(result.outputText.dropLast())
  }

  /// The output of a command with `--json`.
  func json(_ arguments: String...) throws -> JSON {
    let result = try agent(arguments + ["--json"])
    try #require(result.succeeded, "\(result.errorText)")
    return try JSON(parsing: result.output)
  }

  /// Signs in with the device grant at an issuer that approves automatically, and returns the events.
  @discardableResult
  func signIn(
    _ account: String = "work", at issuer: String, clientID: String = "agent-cli", _ options: String...
  ) throws -> [JSON] {
    try signIn(account, at: issuer, clientID: clientID, options: options)
  }

  @discardableResult
  func signIn(
    _ account: String = "work", at issuer: String, clientID: String = "agent-cli", options: [String]
  ) throws -> [JSON] {
    let result = try agent(
      [
        "login", account, "--issuer", issuer, "--client-id", clientID, "--allow-http-loopback", "--device", "--json",
      ] + options)
    try #require(result.succeeded, "\(result.errorText)")
    return try result.lines.map { try JSON(parsing: Array($0.utf8)) }
  }
}

extension ProcessResult {
  var lines: [Substring] { outputText.split(separator: "\n") }

  var failureCode: String? { failure?["code"]?.string }

  /// The failure that a command with `--json` wrote to standard error.
  var failure: JSON? {
    guard let line = errorText.split(separator: "\n").last else { return nil }
    return (try? JSON(parsing: Array(line.utf8)))?["error"]
  }

  /// Whether the command failed with this status and printed nothing on standard output.
  func failed(_ status: Int32) -> Bool { self.status == .exited(status) && output.isEmpty }
}
