internal import OAuth
internal import Vocabulary
internal import Wire

/// Chooses the sign-in flow: the requested one, or else one that the machine and the server support.
struct FlowChoice {
  /// The requested flow; nil if the request names none.
  let wanted: LoginRequest.Flow?
  /// A browser can be opened where the person is.
  let canOpenBrowser: Bool
  /// An authorization code is of no use, because the client has no secret.
  var prefersDevice = false
  /// The account's profile has no device flow.
  var excludesDevice = false
  /// Additional parameters of the authorization request.
  var options = AuthorizationOptions()

  /// - Parameter canListen: Whether the redirect URI leads to this machine.
  func flow(at server: AuthorizationServerMetadata, canListen: Bool) -> LoginRequest.Flow {
    if let wanted { return wanted }
    // The device flow does not support these parameters.
    if asksForMore || excludesDevice { return canOpenBrowser && canListen ? .browser : .paste }
    if prefersDevice, server.deviceAuthorizationEndpoint != nil { return .device }
    if server.offersCodeFlow, canOpenBrowser, canListen { return .browser }
    let announcesCodeFlow = server.authorizationEndpoint != nil || server.unusableEndpoints[.authorization] != nil
    return server.deviceAuthorizationEndpoint != nil || !announcesCodeFlow ? .device : .paste
  }
}

extension FlowChoice {
  /// The person wants what only an authorization request can ask for.
  var asksForMore: Bool { options != AuthorizationOptions() }
}

extension AuthorizationOptions {
  /// - Throws: `invalid_request` for a claims challenge that is none.
  init(_ demands: SignInDemands) throws(Failure) {
    self.init()
    prompt = demands.prompt
    loginHint = demands.loginHint
    acrValues = demands.acrValues
    maxAge = demands.maxAge
    challengedClaims = try demands.claimsChallenge.map { (text) throws(Failure) in
      guard let claims = RequestedClaims(challenge: text) else {
        throw Failure(.invalidRequest, "the claims challenge is not a JSON object, plain or in base64")
      }
      return claims
    }
  }
}
