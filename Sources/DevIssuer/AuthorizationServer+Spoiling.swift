extension AuthorizationServer {
  private static let hugeCount = 2 << 20

  /// The answer as the switches of the control endpoint want it.
  func spoiled(_ response: Response, of endpoint: Endpoint) -> Response {
    let fault = withState { (state) -> BodyFault? in
      let fault = state.settings.takeBodyFault(of: endpoint)
      if fault != nil { state.count(.misbehaviours) }
      return fault
    }
    guard let fault else { return response }
    var response = response
    switch fault {
    case .empty: response.body = []
    case .html:
      response.headers = [("Content-Type", "text/html")]
      response.body = Array("<!DOCTYPE html><title>Welcome</title><p>Please accept the terms of this network.".utf8)
    case .huge:
      // Still JSON: the members that were there, after a long one.
      response.body =
        Array("{\"padding\":\"".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: Self.hugeCount)
        + Array("\",".utf8) + response.body.dropFirst()
    case .truncated: response.delivery = .truncated
    case .drop: response.delivery = .dropped
    }
    return response
  }
}
