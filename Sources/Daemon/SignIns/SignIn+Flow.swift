internal import OAuth
internal import Platform
internal import Sessions
internal import Wire

/// Passes a sign-in's listener from the worker that opens it to the loop.
final class ListenerHandoff: Sendable {
  private let listener = Monitor<RedirectListener?>(nil)
  private let sockets: RedirectSockets

  init(in sockets: RedirectSockets) { self.sockets = sockets }

  func take() -> RedirectListener? {
    listener.withLock { listener in
      defer { listener = nil }
      return listener
    }
  }

  /// Listens if the browser's response or a client's registration needs the redirect URI's port. Returns the port, if
  /// any. Blocking.
  func open(
    _ redirect: SignInRedirect, _ choice: FlowChoice, at server: AuthorizationServerMetadata, registers: Bool
  ) throws(SessionError) -> UInt16? {
    let canListen = redirect.uri.loopbackHost != nil
    let isBrowser = choice.flow(at: server, canListen: canListen) == .browser
    guard isBrowser || registers && canListen && server.offersCodeFlow else { return nil }
    if isBrowser, let port = choice.redirectPort { return redirect.uri.port ?? port }
    let opened = try RedirectListener.open(redirect, in: sockets)
    listener.withLock { $0 = opened }
    return opened.port
  }
}

extension SignIn.Prepared {
  /// Requests the device code or builds the authorization URL. Blocking. The listener is nil unless a browser can reach
  /// this machine.
  func start(
    _ choice: FlowChoice, _ opened: ListenerHandoff
  ) throws(SessionError) -> (waiting: SignIn.PendingApproval, listener: RedirectListener?) {
    let canListen = redirect.map { $0.uri.loopbackHost != nil } ?? true
    let listener = opened.take()
    var choice = choice
    if isDeviceGrantRefused { choice.excludesDeviceFlow = true }
    let flow = choice.flow(at: server.metadata, canListen: canListen)
    try requireSecret(isBrowser: flow != .device)
    switch flow {
    case .device:
      guard !choice.needsAuthorizationRequest else { throw .requirementsNeedBrowser }
      return (.device(try SignIn.PendingApproval.Device(self)), nil)
    case .browser:
      let elsewhere = choice.redirectPort.flatMap { port in redirect?.uri.text(port: port) }
      return (.browser(try prepareAuthorizationRequest(elsewhere ?? listener?.redirectURI, choice)), listener)
    case .paste: return (.browser(try prepareAuthorizationRequest(redirect?.uri.text, choice)), nil)
    }
  }

  private func prepareAuthorizationRequest(_ redirectURI: String?, _ choice: FlowChoice) throws(SessionError)
    -> SignIn.PendingApproval.Browser
  {
    guard let redirectURI else {
      do throws(OAuthError) { try server.metadata.checkUsable(.authorization) } catch { throw .oauth(error) }
      throw .oauth(OAuthError(.endpointMissing, .endpoint(.authorization)))
    }
    var options = choice.options
    // The browser's machine can only check a URL that contains the parameters.
    options.pushesIfNeeded = choice.redirectPort != nil
    return try SignIn.PendingApproval.Browser(self, redirectURI: redirectURI, options: options)
  }
}
