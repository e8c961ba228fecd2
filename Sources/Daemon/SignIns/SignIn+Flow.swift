internal import OAuth
internal import Platform
internal import Sessions
internal import Vocabulary
internal import Wire

/// The listener of a sign-in: opened before a client is registered with its port, used when the browser is to start.
final class OpenedListener: Sendable {
  private let listener = Monitor<RedirectListener?>(nil)
  private let sockets: RedirectSockets

  init(in sockets: RedirectSockets) { self.sockets = sockets }

  /// The listener, which is the caller's from then on.
  func take() -> RedirectListener? {
    listener.withLock { listener in
      defer { listener = nil }
      return listener
    }
  }

  /// Listens where the answer is to come to this machine. Blocking.
  ///
  /// - Returns: The port; nil where nothing is listened for.
  func open(
    _ redirect: SignInRedirect, _ choice: FlowChoice, at server: AuthorizationServerMetadata, registers: Bool
  ) throws(SessionError) -> UInt16? {
    let canListen = redirect.uri.loopbackHost != nil
    let isBrowser = choice.flow(at: server, canListen: canListen) == .browser
    guard isBrowser || registers && canListen && server.offersCodeFlow else { return nil }
    let opened = try RedirectListener.open(redirect, in: sockets)
    listener.withLock { $0 = opened }
    return opened.port
  }
}

extension SignIn.Prepared {
  /// Asks the server for what the person needs, by the flow of choice. Blocking.
  ///
  /// - Returns: The listener for the answer of a browser; nil where the answer must be handed over.
  func start(
    _ choice: FlowChoice, _ opened: OpenedListener
  ) throws(SessionError) -> (waiting: SignIn.Waiting, listener: RedirectListener?) {
    let canListen = redirect.map { $0.uri.loopbackHost != nil } ?? true
    let listener = opened.take()
    let flow = choice.flow(at: server.metadata, canListen: canListen)
    try requireSecret(isBrowser: flow != .device)
    switch flow {
    case .device:
      guard !choice.asksForMore else { throw .demandsNeedBrowser }
      return (.device(try SignIn.Waiting.Device(self)), nil)
    case .browser: return (.browser(try browser(listener?.redirectURI, choice)), listener)
    case .paste: return (.browser(try browser(redirect?.uri.text, choice)), nil)
    }
  }

  private func browser(_ redirectURI: String?, _ choice: FlowChoice) throws(SessionError) -> SignIn.Waiting.Browser {
    guard let redirectURI else {
      do throws(OAuthError) { try server.metadata.checkUsable(.authorization) } catch { throw .oauth(error) }
      throw .oauth(OAuthError(.endpointMissing, .endpoint(.authorization)))
    }
    return try SignIn.Waiting.Browser(self, redirectURI: redirectURI, options: choice.options)
  }
}
