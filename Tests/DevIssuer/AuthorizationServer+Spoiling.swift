import Encoding

extension AuthorizationServer {
  private static let hugeCount = 2 << 20
  private static let deepCount = 100_000
  private static let floodCount = 2000

  /// The answer as the switches of the control endpoint want it.
  func spoiled(_ response: Response, of endpoint: Endpoint) -> Response {
    let (fault, target) = withState { (state) -> (BodyFault?, String) in
      let fault = state.settings.takeBodyFault(of: endpoint)
      if fault != nil { state.count(.misbehaviours) }
      return (fault, state.settings.redirectTarget)
    }
    guard let fault else { return response }
    var response = response
    switch fault {
    case .redirect: return Response(status: 307, headers: [("Location", target)])
    case .twoLocations:
      return Response(status: 302, headers: [("Location", issuer + "/jwks"), ("Location", target)])
    case .twoLengths: response.headers.append(("Content-Length", "1"))
    case .flood: response.headers += (0..<Self.floodCount).map { ("X-Flood-\($0)", "drip") }
    case .type: Self.setType("text/plain", of: &response)
    case .twoTypes: response.headers.append(("Content-Type", "text/html"))
    case .truncated: response.delivery = .truncated
    case .drop: response.delivery = .dropped
    case .endless: response.delivery = .endless
    case .crumbs: response.delivery = .crumbs
    case .bomb:
      response.headers.append(("Content-Encoding", "gzip"))
      response.body = CompressedBomb.bytes
    case .empty, .html, .array, .huge, .deep, .error: Self.replaceContent(of: &response, fault)
    }
    return response
  }

  private static func replaceContent(of response: inout Response, _ fault: BodyFault) {
    switch fault {
    case .html:
      setType("text/html", of: &response)
      response.body = Array("<!DOCTYPE html><title>Welcome</title><p>Please accept the terms of this network.".utf8)
    case .array: response.body = Array("[".utf8) + response.body + Array("]".utf8)
    case .huge:
      // Still JSON: the members that were there, after a long one.
      response.body =
        Array("{\"padding\":\"".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: hugeCount)
        + Array("\",".utf8) + response.body.dropFirst()
    case .deep:
      response.body =
        Array("{\"deep\":".utf8) + [UInt8](repeating: UInt8(ascii: "["), count: deepCount)
        + [UInt8](repeating: UInt8(ascii: "]"), count: deepCount) + Array(",".utf8) + response.body.dropFirst()
    case .error:
      response.status = 200
      response.body = JSON.object(["error": "server_error", "error_description": "Not today."]).serialized()
    default: response.body = []
    }
  }

  private static func setType(_ type: String, of response: inout Response) {
    response.headers.removeAll { $0.name == "Content-Type" }
    response.headers.append(("Content-Type", type))
  }
}
