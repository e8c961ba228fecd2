internal import Encoding
internal import Platform
internal import Wire

extension MCPCommand {
  static let mcp = Command(
    .mcp, topic: .programs,
    summary: "Connect an MCP client to a server that wants a token",
    options: [
      Option.signInPolicy.declaration,
      Option.headers.saying("Send this header with each request; may be given several times"),
    ] + Options.tokenTarget,
    everyday: ["login", "header", "scope", "resource", "audience"],
    operands: .url,
    examples: [
      Example("Connect a client, which starts this command", "agent mcp https://mcp.example.com/mcp"),
      Example("Start the sign-ins that calls need", "agent mcp https://mcp.example.com/mcp --login ask"),
      Example("Use a specific account", "agent mcp https://mcp.example.com/mcp --account work"),
    ],
    run: run)
}

/// Whether a bridge starts a sign-in if a call needs one.
enum SignInPolicy: String, CaseIterable, Sendable {
  /// Never: the client receives the command to run.
  case never
  /// Always: a client that cannot show pages receives the URL and the code as text.
  case ask
}

extension Option<SignInPolicy?> {
  static var signInPolicy: Self {
    Self("login", in: .signIn, "WHEN", SignInPolicy.self, "Start the sign-ins that calls need")
  }
}

/// `agent mcp`.
enum MCPCommand {
  static func run(_ invocation: Invocation) throws(Failure) -> Action {
    let server = try MCPServer(invocation)
    let policy = invocation[.signInPolicy]
    return .doing { () throws(Failure) in
      if Terminal.isTerminal(0) {
        server.warnings.note("waiting for an MCP client's messages; clients start this command themselves:")
        server.warnings.note(Phrase(verbatim: "agent setup mcp --host \(ShellWord.quoted(invocation.operands[0]))"))
        server.warnings.note("to end it, press Ctrl-D")
      }
      try MCPBridge(server, asks: policy).run()
    }
  }
}

/// The server of a bridge, and the parameters of each request to it.
struct MCPServer {
  let client: DaemonClient
  /// Prints warnings about messages and tools that the bridge ignores.
  let warnings: Console
  private let request: CallRequest

  init(_ invocation: Invocation) throws(Failure) {
    warnings = Console(invocation)
    client = DaemonClient(invocation).forPrograms.patient(
      for: invocation[.timeout] ?? WireProtocol.maximumTimeoutSeconds)
    guard let url = invocation.operands.first else { throw Failure(.invalidRequest, "no URL given") }
    guard let uri = try? URI(url), ["https", "http"].contains(where: uri.hasScheme) else {
      throw Failure(
        .invalidRequest, "the server must be an https URL", hint: .command("agent mcp https://mcp.example.com/mcp"))
    }
    var request = CallRequest(
      account: try invocation.account(operand: nil), url: url, method: "POST", headers: invocation[.headers])
    request.target = try TokenRequest.Target(invocation)
    request.refusesRedirects = true
    // An event stream is silent while the server has no messages.
    request.idleSeconds = 0
    self.request = request
  }

  /// The failure of a redirected request. It omits the query and fragment of the location, which may contain a secret.
  func redirects(to location: String) -> Failure {
    let own = try? URI(request.url)
    let place = String(
      decoding: location.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }, as: UTF8.self)
    // If the location is another origin, the user first checks that it is the intended server.
    let target = own?.resolving(location).flatMap {
      $0.origin.utf8.elementsEqual(own?.origin.utf8 ?? "".utf8) ? $0 : nil
    }
    let isHint =
      target.map { ShellWord.isHarmless($0.text) } ?? false
      && place.utf8.count == location.utf8.count && target?.text.utf8.elementsEqual(request.url.utf8) == false
    return Failure(
      .serverMisbehaved,
      "\(own?.origin ?? "") redirects to \(TerminalText.clean(place)), which was not followed",
      hint: isHint ? target.map { .command("agent mcp \(ShellWord.quoted($0.text))") } : nil)
  }

  func send(_ method: String, _ fields: [String], _ body: [UInt8]?) throws(Failure) -> MCPExchange {
    var request = request
    request.method = method
    request.sendsBody = body != nil
    let accepted = method.utf8.elementsEqual("GET".utf8) ? "text/event-stream" : "application/json, text/event-stream"
    request.headers += ["Accept: \(accepted)"] + (body == nil ? [] : ["Content-Type: application/json"]) + fields
    return try MCPExchange(request, body, client)
  }
}
