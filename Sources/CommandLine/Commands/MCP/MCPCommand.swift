internal import Encoding
internal import MCP
internal import Platform
internal import Wire

extension Option<SignInPolicy?> {
  static var signInPolicy: Self {
    Self("login", in: .signIn, "WHEN", SignInPolicy.self, "Start the sign-ins that calls need")
  }
}

struct MCPCommand: MCPHost {
  static let mcp = Command(
    .mcp, topic: .programs,
    summary: "Connect an MCP client to a server that wants a token",
    options: [
      Option.signInPolicy.declaration,
      Option.headers.withSummary("Send this header with each request; may be given several times"),
    ] + Options.tokenTarget,
    shortHelp: ["login", "header", "scope", "resource", "audience"],
    operands: .url,
    examples: [
      Example("Connect a client, which starts this command", "agent mcp https://mcp.example.com/mcp"),
      Example("Start the sign-ins that calls need", "agent mcp https://mcp.example.com/mcp --login ask"),
      Example("Use a specific account", "agent mcp https://mcp.example.com/mcp --account work"),
    ],
    makeAction: makeAction)

  static func makeAction(_ invocation: Invocation) throws(Failure) -> Action {
    let command = MCPCommand(
      client: DaemonClient(invocation).forPrograms.withTimeout(
        seconds: invocation[.timeout] ?? WireProtocol.maximumTimeoutSeconds),
      warnings: Console(invocation))
    let server = MCPServer(try request(invocation), command)
    let policy = invocation[.signInPolicy]
    return .doing { () throws(Failure) in
      if Terminal.isTerminal(0) {
        command.warn("waiting for an MCP client's messages; clients start this command themselves:")
        command.warn(Phrase(verbatim: "agent setup mcp --host \(ShellWord.quoted(invocation.operands[0]))"))
        command.warn("to end it, press Ctrl-D")
      }
      try MCPBridge(server, signInPolicy: policy).run()
    }
  }

  private static func request(_ invocation: Invocation) throws(Failure) -> CallRequest {
    guard let url = invocation.operands.first else { throw Failure(.invalidRequest, "no URL given") }
    guard let uri = try? URI(url), ["https", "http"].contains(where: uri.hasScheme) else {
      throw Failure(
        .invalidRequest, "the server must be an https URL", hint: .command("agent mcp https://mcp.example.com/mcp"))
    }
    var request = CallRequest(
      account: try invocation.account(operand: nil), url: url, method: "POST", headers: invocation[.headers])
    request.target = try TokenRequest.Target(invocation)
    request.refusesRedirects = true
    // Event streams may be silent.
    request.idleSeconds = 0
    return request
  }

  private let client: DaemonClient
  /// Prints to standard error, not to the MCP client.
  private let warnings: Console

  /// The command in a failure's hint, if a client may run it without asking the user.
  static func remedy(of failure: Failure, by commands: CommandTable) -> MCPRemedy? {
    guard let command = failure.advice?.command, let invocation = LoginOptions.invocation(of: command, by: commands)
    else { return nil }
    switch invocation.command?.name {
    case .login:
      return MCPRemedy(
        command, login: try? LoginOptions.request(invocation),
        namesNoServer: LoginOptions.request(of: command, by: commands) != nil)
    case .unlock, .mcp: return MCPRemedy(command)
    default: return nil
    }
  }

  func connect() throws(Failure) -> DaemonConnection { try client.connect() }
  func envelope(_ request: Request) -> RequestEnvelope { client.envelope(request) }
  func writeToClient(_ line: Span<UInt8>) throws(Failure) { try Console.answer(line) }
  func log(_ request: Request) { _ = client.logRequest(request) }
  func show(_ event: Event) { client.console.report(event) }
  func note(_ message: Phrase) { client.console.note(message) }
  func warn(_ message: Phrase) { warnings.note(message) }
  func completingHint(of failure: Failure) -> Failure { client.console.completingHint(of: failure) }
  func remedy(of failure: Failure) -> MCPRemedy? { Self.remedy(of: failure, by: client.commands) }
}
