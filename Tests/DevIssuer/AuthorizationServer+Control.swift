import Crypto
import Encoding

extension AuthorizationServer {
  /// Switches and counters for tests. Tells no token and no code.
  func control(_ request: Request) throws(OAuthFailure) -> Response {
    // No browser page may use it: a form on any site could be sent here (RFC 6454 section 7).
    guard request.headers.values(of: "origin").isEmpty else {
      return .text("Not for browsers.", status: 403)
    }
    if request.method == .post {
      let parameters = try Parameters(form: request)
      let current = withState { $0.settings }
      try carryOut(try ControlRequest(parameters, current: current))
    }
    return .json(counters())
  }

  private func carryOut(_ command: ControlRequest) throws(OAuthFailure) {
    let algorithm = withState { $0.key.algorithm }
    let newKey: SigningKey? =
      command.rotatesKey ? try checked { () throws(CryptoError) in try SigningKey(algorithm) } : nil
    let newNonces = try checked { () throws(CryptoError) in [try OpaqueKey.random(), try .random()] }
    withState { (state) in
      if command.replacesNonces { state.dpop.replaceAll(by: newNonces) }
      state.settings = command.settings
      if let newKey { state.key = newKey }
      if command.revokesAll {
        state.tokens.removeAll()
        state.devices.removeAll()
        state.authorizations.removeAll()
        state.pushed.removeAll()
        state.sessions.removeAll()
        state.codes.removeAll()
      }
    }
    guard let decision = command.decision else { return }
    do throws(DeviceGrants.CodeProblem) {
      _ = try decide(decision.code, approve: decision.approve, username: decision.username)
    } catch {
      throw OAuthFailure(.invalidRequest, "no device authorization waits under this code")
    }
  }

  private func counters() -> JSON {
    withState { state in
      .object(JSONObject(Counter.allCases.map { ($0.rawValue, .int(state[$0])) }))
    }
  }
}
