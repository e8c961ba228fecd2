internal import OAuth
internal import Wire

/// Chooses the sign-in flow: the requested one, or one that machine and server support.
struct FlowChoice {
  let requestedFlow: LoginRequest.Flow?
  /// Whether the user's machine can open a browser.
  let canOpenBrowser: Bool
  /// The port for the browser's response on the user's machine. Nil if this is the user's machine.
  var redirectPort: UInt16?
  /// Whether the client lacks the secret for other flows.
  var prefersDeviceFlow = false
  /// Whether the account's profile or the server forbids the device flow.
  var excludesDeviceFlow = false
  var options = AuthorizationOptions()

  /// The flow for a server. `canListen` is true if the redirect URI points to this machine.
  func flow(at server: AuthorizationServerMetadata, canListen: Bool) -> LoginRequest.Flow {
    if let requestedFlow { return requestedFlow }
    // The device flow does not support these parameters.
    if needsAuthorizationRequest || excludesDeviceFlow { return canOpenBrowser && canListen ? .browser : .paste }
    if prefersDeviceFlow, server[.deviceAuthorization] != nil { return .device }
    // The user who approves another device's code may not have started the sign-in (RFC 10027).
    if server.offersCodeFlow, canOpenBrowser { return canListen ? .browser : .paste }
    let announcesCodeFlow = server[.authorization] != nil || server.unusableEndpoints[.authorization] != nil
    return server[.deviceAuthorization] != nil || !announcesCodeFlow ? .device : .paste
  }

  var needsAuthorizationRequest: Bool { options != AuthorizationOptions() }
}

extension AuthorizationOptions {
  /// Throws `invalid_request` for an invalid claims challenge.
  init(_ requirements: AuthenticationRequirements) throws(Failure) {
    self.init()
    prompt = requirements.prompt
    loginHint = requirements.loginHint
    acrValues = requirements.acrValues
    maxAge = requirements.maxAge
    challengedClaims = try requirements.claimsChallenge.map { (text) throws(Failure) in
      guard let claims = RequestedClaims(challenge: text) else {
        throw Failure(.invalidRequest, "the claims challenge is not a JSON object, plain or in base64")
      }
      return claims
    }
  }
}
