internal import OAuth
internal import Wire

/// How a person signs in: as they asked, or else as their machine and their server allow.
struct FlowChoice {
  /// What was asked for.
  let wanted: LoginRequest.Flow?
  /// A browser can be opened where the person is.
  let canOpenBrowser: Bool

  /// - Parameter canListen: Whether the redirect URI leads to this machine.
  func flow(at server: AuthorizationServerMetadata, canListen: Bool) -> LoginRequest.Flow {
    if let wanted { return wanted }
    if server.offersCodeFlow, canOpenBrowser, canListen { return .browser }
    if server.deviceAuthorizationEndpoint != nil || server.authorizationEndpoint == nil { return .device }
    return .paste
  }
}
