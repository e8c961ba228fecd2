internal import Encoding
internal import Platform
internal import Wire

/// `agent mcp`.
enum MCPCommand {
  static func run(_ invocation: Invocation) throws(Failure) -> Action {
    let server = try MCPServer(invocation)
    let policy = invocation[.signInPolicy]
    return .doing { () throws(Failure) in try MCPBridge(server, asks: policy).run() }
  }
}

/// The server of a bridge, and what goes with each request to it.
struct MCPServer {
  let client: DaemonClient
  private let request: CallRequest

  init(_ invocation: Invocation) throws(Failure) {
    client = DaemonClient(invocation).forPrograms.patient(
      for: invocation[.timeout] ?? WireProtocol.maximumTimeoutSeconds)
    guard let url = invocation.operands.first else { throw Failure(.invalidRequest, "no URL is given") }
    guard let uri = try? URI(url), ["https", "http"].contains(uri.scheme) else {
      throw Failure(
        .invalidRequest, "the server is named by an https URL", hint: "agent mcp https://mcp.example.com/mcp")
    }
    var request = CallRequest(
      account: try invocation.account(operand: nil), url: url, method: "POST", headers: invocation[.headers])
    request.target = try TokenRequest.Target(invocation)
    request.refusesRedirects = true
    // A stream of events is quiet for as long as the server has nothing to say.
    request.idleSeconds = 0
    self.request = request
  }

  /// Sends a request.
  func send(_ method: String, _ fields: [String], _ body: [UInt8]?) throws(Failure) -> MCPExchange {
    var request = request
    request.method = method
    request.sendsBody = body != nil
    let accepted = method.utf8.elementsEqual("GET".utf8) ? "text/event-stream" : "application/json, text/event-stream"
    request.headers += ["Accept: \(accepted)"] + (body == nil ? [] : ["Content-Type: application/json"]) + fields
    return try MCPExchange(request, body, client)
  }
}
