import Encoding
import Platform
import TestSupport
import Testing

/// A server built with the MCP SDK that requires a token, and an account `work` that lists its host.
final class MCPServer {
  let session: Session
  let url: String
  private let port: String
  private let secret: String
  private let variables: [String: String]
  private var process: RunningProcess

  var tree: AgentTree { session.tree }

  /// The Python with the SDK installed by pip, or nil if pip failed.
  static let python: String? = {
    guard Programs.folder != nil, let install = try? RealServer.script("install", "MCP"), install.succeeded
    else { return nil }
    return install.outputText.filter { $0 != "\n" } + "/bin/python3"
  }()

  /// - Parameters:
  ///   - options: Options of `devissuer`.
  ///   - signIn: Options of the sign-in.
  ///   - variables: The server's environment variables.
  static func with(
    _ options: String..., signIn: [String] = [], variables: [String: String] = [:], body: (MCPServer) throws -> Void
  ) throws {
    let secrets = try TemporaryDirectory()
    try Issuer.with(options + ["--client-secret-file", secrets.path("secret")]) { issuer in
      try AgentTree.with { tree in
        let events = try tree.signIn(at: issuer.url, options: signIn)
        let session = Session(tree: tree, issuer: issuer, events: events)
        let server = try MCPServer(session, String(decoding: secrets.read("secret"), as: UTF8.self), variables)
        try body(server)
      }
    }
  }

  private init(_ session: Session, _ secret: String, _ variables: [String: String]) throws {
    self.session = session
    self.secret = secret
    self.variables = variables
    // The server restarts on this port.
    port = String(try LoopbackServer.unusedPort())
    process = try Self.start(session, secret, port, variables)
    _ = try process.readLine()
    url = "http://127.0.0.1:\(port)/mcp"
    let listed = try session.tree.agent("account", "set", "work", "--host", "http://127.0.0.1:\(port)")
    try #require(listed.succeeded, "\(listed.errorText)")
  }

  private static func start(
    _ session: Session, _ secret: String, _ port: String, _ variables: [String: String]
  ) throws -> RunningProcess {
    let python = try #require(python, "the SDK is not installed")
    return try RunningProcess(
      executable: python,
      arguments: [RealServer.path("MCP/server.py"), session.tree.directory.path, session.issuer.url, secret, port],
      environment: session.tree.environment(variables.mapValues { $0 }))
  }

  func restart() throws {
    try stop()
    process = try Self.start(session, secret, port, variables)
    _ = try process.readLine()
  }

  func stop() throws { try process.terminate(Signals.SIGKILL) }

  /// The server's next output line that contains a text.
  func next(_ part: String) throws -> String {
    while true {
      let line = try process.readLine()
      if line.contains(part) { return line }
    }
  }

  func set(_ name: String, _ text: String) throws { try tree.directory.write(name, text) }

  func unset(_ name: String) throws {
    #expect(try ProcessRunner.shell("rm '\(tree.path(name))'").succeeded)
  }

  /// Makes the server reject the account's current token.
  func refuseToken() throws { try set("expired", tree.token()) }

  func client(_ mode: String, _ options: String..., answering answer: String = "accept") throws -> MCPClient {
    try MCPClient(self, mode, options, answer)
  }

  /// Starts a bridge whose client is the test itself.
  func bridge(_ options: String...) throws -> MCPLines { try MCPLines(tree, url, options) }
}

/// A client built with the MCP SDK, which has started `agent mcp`.
final class MCPClient {
  private let process: RunningProcess

  init(_ server: MCPServer, _ mode: String, _ options: [String], _ answer: String) throws {
    let python = try #require(MCPServer.python, "the SDK is not installed")
    process = try RunningProcess(
      executable: python,
      arguments: [RealServer.path("MCP/client.py"), mode, try Programs.path("agent"), server.url] + options,
      environment: server.tree.environment(["ANSWER": answer]))
    #expect(try nextAnswer() == JSON.object(JSONObject([("result", "connected")])))
  }

  private func nextAnswer() throws -> JSON { try JSON(parsing: Array(process.readLine().utf8)) }

  /// Runs a command of `client.py`.
  func ask(_ words: JSON...) throws -> JSON {
    try process.send(String(decoding: JSON.array(words).serialized(), as: UTF8.self) + "\n")
    return try nextAnswer()
  }

  /// The `result` member of a response to a command of `client.py`.
  func result(_ words: JSON...) throws -> JSON {
    try process.send(String(decoding: JSON.array(words).serialized(), as: UTF8.self) + "\n")
    let answer = try nextAnswer()
    return try #require(answer["result"], "\(answer) \(process.errorText)")
  }

  func add() throws -> JSON { try ask("call", "add", ["a": 1, "b": 2]) }

  func finish() throws {
    process.closeInput()
    #expect(try process.wait() == .exited(0), "\(process.errorText)")
  }

  func kill() throws { try process.terminate(Signals.SIGKILL) }

  var processID: Int32 { process.processID }
}

/// A running `agent mcp` whose client is the test itself.
final class MCPLines {
  let process: RunningProcess

  init(_ tree: AgentTree, _ url: String, _ options: [String] = [], _ changes: [String: String?] = [:]) throws {
    process = try tree.start(["mcp", url] + options, changes)
  }

  func send(_ line: String) throws { try process.send(line + "\n") }

  func next() throws -> JSON {
    var limits = JSONLimits(bytes: 64 << 20, stringBytes: 64 << 20)
    limits.depth = 64
    return try JSON(parsing: Array(process.readLine().utf8), limits: limits)
  }

  func ask(_ line: String) throws -> JSON {
    try send(line)
    return try next()
  }

  func begin(_ capabilities: String = "{}") throws {
    let answer = try ask(
      #"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","#
        + #""capabilities":\#(capabilities),"clientInfo":{"name":"test","version":"1"}}}"#)
    try #require(answer["result"] != nil, "\(answer)")
    try send(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
  }

  func finish() throws {
    process.closeInput()
    #expect(try process.wait() == .exited(0), "\(process.errorText)")
  }
}

extension Trait where Self == ConditionTrait {
  static var needsMCP: Self {
    .enabled(
      if: MCPServer.python != nil || Environment.value("AGENT_DEMAND_SERVERS").map { !$0.isEmpty } ?? false,
      "the MCP SDK cannot be installed; with AGENT_DEMAND_SERVERS=1 that fails instead")
  }
}
