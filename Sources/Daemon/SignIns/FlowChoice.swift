internal import OAuth
internal import Wire

/// How a person signs in: as they asked, or else as their machine and their server allow.
struct FlowChoice {
  /// What was asked for.
  let wanted: LoginRequest.Flow?
  /// A browser can be opened where the person is.
  let canOpenBrowser: Bool
  /// What a browser sign-in asks for beside the usual.
  var options = AuthorizationOptions()

  /// - Parameter canListen: Whether the redirect URI leads to this machine.
  func flow(at server: AuthorizationServerMetadata, canListen: Bool) -> LoginRequest.Flow {
    if let wanted { return wanted }
    // A device code cannot carry what is asked of the sign-in.
    if options != AuthorizationOptions() { return canOpenBrowser && canListen ? .browser : .paste }
    if server.offersCodeFlow, canOpenBrowser, canListen { return .browser }
    let announcesCodeFlow = server.authorizationEndpoint != nil || server.unusableEndpoints[.authorization] != nil
    return server.deviceAuthorizationEndpoint != nil || !announcesCodeFlow ? .device : .paste
  }
}

extension AuthorizationOptions {
  init(_ demands: SignInDemands) {
    self.init()
    prompt = demands.prompt
    loginHint = demands.loginHint
    acrValues = demands.acrValues
    maxAge = demands.maxAge
  }
}
