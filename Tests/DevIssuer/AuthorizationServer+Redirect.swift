import Encoding

/// Answers of the authorization endpoint, which the browser takes to the client.
extension AuthorizationServer {
  /// RFC 6749 section 4.1.2.
  func redirect(to target: RedirectTarget, code: OpaqueKey) -> Response {
    let sent = withState { (state) -> OpaqueKey in
      let earlier = state.lastCode
      state.lastCode = code
      return state.settings.authorizationFault == .replayedCode ? earlier ?? code : code
    }
    return redirect(to: target, [("code", sent.text)])
  }

  /// RFC 6749 section 4.1.2.1.
  func redirect(to target: RedirectTarget, _ failure: OAuthFailure) -> Response {
    redirect(to: target, [("error", failure.code.rawValue), ("error_description", failure.description)])
  }

  /// A browser that comes back with GET whatever it came with (RFC 9700 section 4.12).
  func redirection(to location: String) -> Response {
    Response(
      status: 303,
      headers: [("Location", location), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")])
  }

  /// Every answer names the issuer (RFC 9207 section 2).
  private func redirect(to target: RedirectTarget, _ answer: [(String, String)]) -> Response {
    let fault = withState { (state) -> AuthorizationFault? in
      if state.settings.authorizationFault != nil { state.count(.misbehaviours) }
      return state.settings.authorizationFault
    }
    var pairs = answer
    if let state = target.state, fault != .missingState {
      pairs.append(("state", fault == .wrongState ? "x" + state : state))
    }
    if fault != .missingISS { pairs.append(("iss", fault == .wrongISS ? "https://issuer.invalid" : issuer)) }
    if fault == .duplicate, let first = pairs.first { pairs.append(first) }
    if fault == .accessToken { pairs.append(("access_token", "x")) }
    let location = target.uri.appendingQuery(pairs)
    return fault == .twice ? page.twice(location, source: target.policySource) : redirection(to: location)
  }
}
