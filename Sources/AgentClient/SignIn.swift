internal import Encoding
internal import Platform
internal import Wire

/// A sign-in under way, as the steps that a person has to do, from ``Agent/signIn(_:)``.
///
/// ```swift
/// for try await step in try await agent.signIn(SignInOptions("work")) {
///   switch step {
///   case .openPage(let page): print("open \(page.url)")
///   case .enterCode(let code): print("open \(code.verificationURI) and enter \(code.userCode)")
///   case .signedIn(let session): print("signed in to \(session.account)")
///   case .confirm, .redirectRefused, .notice: continue
///   }
/// }
/// ```
///
/// It ends after ``Step/signedIn(_:)``, or by an error. Releasing it, or cancelling the task that waits for a step, ends the
/// sign-in: nothing is stored then. One task reads the steps.
public final class SignIn: AsyncSequence, Sendable {
  /// A step of a sign-in.
  public enum Step: Sendable, Hashable {
    /// The person must open an address in a browser.
    case openPage(Page)
    /// The person must open an address on any device, and enter a code there.
    case enterCode(DeviceCode)
    /// Someone signed in, in a browser that may be another user's: nothing is stored before ``SignIn/confirm(_:)``.
    ///
    /// - Parameters:
    ///   - subject: The person's identifier, by the ID Token; nil without one.
    ///   - name: The person's name, by the ID Token.
    case confirm(subject: String?, name: String?)
    /// The address that ``SignIn/pass(redirect:)`` got is not the answer of this sign-in, which goes on.
    case redirectRefused(AgentError)
    /// Something worth knowing: one sentence, safe for a terminal.
    case notice(String)
    /// The end. The claims of the session are left out: ``Agent/currentUser(_:)`` has them.
    case signedIn(Session)
  }

  /// The address of an authorization request (RFC 6749, section 4.1.1).
  public struct Page: Sendable, Hashable {
    /// The account of the sign-in.
    public var account: String
    /// The issuer identifier of the authorization server.
    public var issuer: String
    /// The address to open. It is no secret, and of use for this sign-in only.
    public var url: String
    /// An address of the agent's that leads to ``url`` once, for the command line of a browser, which other users can read; nil
    /// where the agent cannot tell who opens it.
    public var linkURL: String?
    /// Where the browser brings the answer (RFC 6749, section 3.1.2): for `ssh -L` from the machine of the browser.
    public var redirectURI: String
    /// Whether the person must paste the address where the browser ended, for ``SignIn/pass(redirect:)``.
    public var mustPaste: Bool
    /// The end of the sign-in, in seconds since 1970-01-01T00:00:00Z.
    public var expiresAt: Int
  }

  /// The part of a device authorization response that the person needs (RFC 8628, section 3.2).
  public struct DeviceCode: Sendable, Hashable {
    /// The account of the sign-in.
    public var account: String
    /// The issuer identifier of the authorization server.
    public var issuer: String
    /// The code, as the server spells it.
    public var userCode: String
    /// The address where it is entered.
    public var verificationURI: String
    /// The address with the code in it, such as for a QR code.
    public var verificationURIComplete: String?
    /// The expiry of the code, in seconds since 1970-01-01T00:00:00Z.
    public var expiresAt: Int
  }

  private let replies: ReplyStream
  private let agent: Agent
  /// The name of the sign-in, as its first step tells it.
  private let name = Monitor<String?>(nil)

  init(_ replies: ReplyStream, _ agent: Agent) {
    self.replies = replies
    self.agent = agent
  }

  /// Passes the address where the browser ended, after a ``Step/openPage(_:)`` with ``Page/mustPaste``.
  ///
  /// - Parameter url: The whole address, at most 16,384 bytes.
  /// - Throws: An error with the code `redirect_rejected` if it is not the answer of this sign-in, which goes on.
  public func pass(redirect url: String) async throws(AgentError) {
    _ = try await agent.ask(.loginRedirect(LoginRedirectRequest(login: try login(), url: url)))
  }

  /// Answers ``Step/confirm(subject:name:)``.
  ///
  /// - Parameter isUser: Whether the user is the one who signed in. Otherwise the session is ended at the server, and the sign-in
  ///   fails.
  public func confirm(_ isUser: Bool) async throws(AgentError) {
    _ = try await agent.ask(.loginConfirm(LoginConfirmRequest(login: try login(), isConfirmed: isUser)))
  }

  private func login() throws(AgentError) -> String {
    guard let login = name.withLock({ $0 }) else {
      throw AgentError(.fixProgram, code: "invalid_request", message: "the sign-in waits for no answer yet")
    }
    return login
  }

  /// The iterator of the steps.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    fileprivate let signIn: SignIn

    /// Waits for the next step; nil after the last one.
    ///
    /// - Throws: Why the sign-in failed: ``AgentError/Remedy/signIn`` if a code expired, ``AgentError/Remedy/none``
    ///   if the person or the server denied it.
    public func next() async throws(AgentError) -> Step? { try await signIn.next() }

    /// The same for code of an actor.
    public func next(isolation actor: isolated (any Actor)?) async throws(AgentError) -> Step? {
      try await signIn.next()
    }
  }

  /// The steps that no iterator has returned yet.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(signIn: self) }

  private func next() async throws(AgentError) -> Step? {
    while true {
      switch try await replies.next() {
      case .event(let event): if let step = step(event) { return step }
      case .failure(let failure): throw AgentError(failure)
      case .result(let result):
        guard let session = Session(signedIn: result) else { throw AgentError(Reply.unreadable) }
        return .signedIn(session)
      case nil: return nil
      }
    }
  }

  /// The step of an event; nil for one that only a later agent sends.
  private func step(_ event: Event) -> Step? {
    switch event {
    case .browser(let browser):
      name.withLock { $0 = browser.login }
      return .openPage(
        Page(
          account: browser.account, issuer: browser.issuer, url: browser.url, linkURL: browser.linkURL,
          redirectURI: browser.redirectURI,
          mustPaste: browser.mustPaste, expiresAt: browser.expiresAt))
    case .deviceCode(let code):
      name.withLock { $0 = code.login }
      return .enterCode(
        DeviceCode(
          account: code.account, issuer: code.issuer, userCode: code.userCode, verificationURI: code.verificationURI,
          verificationURIComplete: code.verificationURIComplete, expiresAt: code.expiresAt))
    case .confirm(let confirm):
      name.withLock { $0 = confirm.login }
      return .confirm(subject: confirm.subject, name: confirm.name)
    case .redirectRefused(let failure): return .redirectRefused(AgentError(failure))
    case .notice(let message): return .notice(message.english)
    default: return nil
    }
  }
}

extension Session {
  /// The session of a sign-in's result.
  fileprivate init?(signedIn result: JSONObject) {
    guard let account = result["account"]?.string, let issuer = result["issuer"]?.string else { return nil }
    self.init(
      account: account, issuer: issuer, subject: result["subject"]?.string,
      scope: result["scope"]?.string?.split(separator: " ").map(String.init), expiresAt: result["expires_at"]?.int)
  }
}
