internal import OAuth
internal import Sessions
internal import Vocabulary
internal import Wire

extension SignIn.Prepared {
  /// Asks the server for what the person needs, by the flow of choice. Blocking.
  ///
  /// - Returns: The listener for the answer of a browser; nil where the answer must be handed over.
  func start(_ choice: FlowChoice) throws(SessionError) -> (waiting: SignIn.Waiting, listener: RedirectListener?) {
    let registered = try Self.redirectURI(configuration.redirectURI ?? configuration.providerSettings?.redirectURI)
    let canListen = registered.map { $0.loopbackHost != nil } ?? true
    let issuer = server.metadata.issuer
    switch choice.flow(at: server.metadata, canListen: canListen) {
    case .device:
      guard choice.options == AuthorizationOptions() else { throw .demandsNeedBrowser }
      return (.device(try SignIn.Waiting.Device(self)), nil)
    case .browser:
      // The port is taken just before the browser starts (RFC 8252 section 8.3).
      let listener =
        if let registered { try RedirectListener.open(registered) } else {
          try RedirectListener.open(standardFor: issuer)
        }
      return (
        .browser(try SignIn.Waiting.Browser(self, redirectURI: listener.redirectURI, options: choice.options)), listener
      )
    case .paste:
      let uri = registered ?? RedirectURI(standardFor: issuer)
      return (.browser(try SignIn.Waiting.Browser(self, redirectURI: uri.text, options: choice.options)), nil)
    }
  }

  private static func redirectURI(_ text: String?) throws(SessionError) -> RedirectURI? {
    guard let text else { return nil }
    do { return try RedirectURI(text) } catch { throw .oauth(error) }
  }
}
