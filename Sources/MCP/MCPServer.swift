internal import Encoding
package import Wire

/// A bridge's MCP server.
package struct MCPServer {
  let host: any MCPHost
  private let request: CallRequest

  /// `request` has the account, URL and other shared parameters.
  package init(_ request: CallRequest, _ host: any MCPHost) {
    self.host = host
    self.request = request
  }

  /// Describes a failure, with a command that the client may run.
  func problem(_ failure: Failure, status: Int?) -> MCPProblem {
    let failure = host.completingHint(of: failure)
    return MCPProblem(failure, status: status, host.remedy(of: failure))
  }

  /// Omits query and fragment, which may be secret.
  func redirectFailure(to location: String) -> Failure {
    let own = try? URI(request.url)
    let url = String(
      decoding: location.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }, as: UTF8.self)
    // The user must first check a location at another origin.
    let target = own?.resolving(location).flatMap {
      $0.origin.hasSameBytes(as: own?.origin ?? "") ? $0 : nil
    }
    let isHint =
      target.map { ShellWord.isHarmless($0.text) } ?? false
      && url.utf8.count == location.utf8.count && target?.text.hasSameBytes(as: request.url) == false
    return Failure(
      .serverMisbehaved,
      "\(own?.origin ?? "") redirects to \(TerminalText.clean(url)), which was not followed",
      hint: isHint ? target.map { .command("agent mcp \(ShellWord.quoted($0.text))") } : nil)
  }

  func startRequest(_ method: String, _ fields: [String], _ body: [UInt8]?) throws(Failure) -> MCPExchange {
    var request = request
    request.method = method
    request.sendsBody = body != nil
    let accepted = method == "GET" ? "text/event-stream" : "application/json, text/event-stream"
    request.headers += ["Accept: \(accepted)"] + (body == nil ? [] : ["Content-Type: application/json"]) + fields
    return try MCPExchange(request, body, host)
  }
}
