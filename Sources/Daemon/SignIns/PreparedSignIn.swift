internal import OAuth
internal import Sessions
internal import Vocabulary
internal import Wire

/// A sign-in that waits for a person.
enum PreparedSignIn: Sendable {
  case device(DeviceSignIn)
  /// Without a listener the answer must be handed over.
  case browser(BrowserSignIn, RedirectListener?)

  /// Asks the server for what the person needs, by the flow of choice. Blocking.
  init(_ preparation: SignIn.Preparation, _ choice: FlowChoice) throws(SessionError) {
    let signIn = try SignIn(preparation)
    do throws(SessionError) {
      try self.init(signIn, choice)
    } catch {
      signIn.withdraw()
      throw error
    }
  }

  /// The data that both flows share.
  var signIn: SignIn {
    switch self {
    case .device(let prepared): prepared.signIn
    case .browser(let prepared, _): prepared.signIn
    }
  }

  private init(_ signIn: SignIn, _ choice: FlowChoice) throws(SessionError) {
    let registered = try Self.redirectURI(signIn.configuration.redirectURI)
    let canListen = registered.map { $0.loopbackHost != nil } ?? true
    let issuer = signIn.server.metadata.issuer
    switch choice.flow(at: signIn.server.metadata, canListen: canListen) {
    case .device:
      guard choice.options == AuthorizationOptions() else { throw .demandsNeedBrowser }
      self = .device(try DeviceSignIn.start(signIn))
    case .browser:
      // The port is taken just before the browser starts (RFC 8252 section 8.3).
      let listener = try Self.listen(registered, issuer)
      self = .browser(
        try BrowserSignIn.start(signIn, redirectURI: listener.redirectURI, options: choice.options), listener)
    case .paste:
      let uri = registered ?? RedirectURI(standardFor: issuer)
      self = .browser(try BrowserSignIn.start(signIn, redirectURI: uri.text, options: choice.options), nil)
    }
  }

  private static func listen(_ registered: RedirectURI?, _ issuer: Issuer) throws(SessionError) -> RedirectListener {
    guard let registered else { return try RedirectListener.open(standardFor: issuer) }
    return try RedirectListener.open(registered)
  }

  private static func redirectURI(_ text: String?) throws(SessionError) -> RedirectURI? {
    guard let text else { return nil }
    do { return try RedirectURI(text) } catch { throw .oauth(error) }
  }
}
