internal import Encoding
internal import Platform
internal import Wire

/// A sign-in in progress, from ``Agent/signIn(_:)``: a sequence of steps for the user.
///
/// ```swift
/// for try await step in try await agent.signIn(SignInOptions("work")) {
///   switch step {
///   case .openPage(let page): print("open \(page.url)")
///   case .enterCode(let code): print("open \(code.verificationURI) and enter \(code.userCode)")
///   case .signedIn(let session, _): print("signed in to \(session.account)")
///   case .confirm, .redirectRefused, .notice: continue
///   }
/// }
/// ```
///
/// The sequence ends after ``Step/signedIn(_:wasGuest:)`` or with an error. Release the sequence, or cancel the task
/// that waits for a step, to cancel the sign-in without storing anything. Use it from one task.
public final class SignIn: AsyncSequence, Sendable {
  /// A step of a sign-in.
  public enum Step: Sendable, Hashable {
    /// The user must open a URL in a browser.
    case openPage(Page)
    /// The user must open a URL on any device, and enter a code there.
    case enterCode(DeviceCode)
    /// The browser that signed in may be another user's. Nothing is stored before ``SignIn/confirm(_:)``.
    ///
    /// - Parameters:
    ///   - subject: The user's identifier in the ID Token, if any.
    ///   - name: The user's name in the ID Token, if any.
    case confirm(subject: String?, name: String?)
    /// The URL passed to ``SignIn/pass(redirect:)`` is not the response of this sign-in, which continues.
    case redirectRefused(AgentError)
    /// A notice: one sentence, safe for a terminal.
    case notice(String)
    /// The sign-in has succeeded.
    ///
    /// - Parameters:
    ///   - session: The session. It has no claims; ``Agent/currentUser(_:)`` returns them.
    ///   - wasGuest: Whether the account had a guest's session before.
    case signedIn(_ session: Session, wasGuest: Bool = false)
  }

  /// The URL of an authorization request (RFC 6749, section 4.1.1), for the user's browser.
  public struct Page: Sendable, Hashable {
    /// The account's name.
    public var account: String
    /// The authorization server's issuer identifier.
    public var issuer: String
    /// The URL to open. It is not secret, and works only for this sign-in.
    public var url: String
    /// A local URL that redirects to ``url`` once. Prefer it on a browser's command line, which other users can read.
    /// Nil if the agent cannot determine who opens it.
    public var linkURL: String?
    /// The redirect URI (RFC 6749, section 3.1.2), for `ssh -L` from the browser's machine.
    public var redirectURI: String
    /// Whether the user must paste the URL at which the browser ends, for ``SignIn/pass(redirect:)``.
    public var mustPaste: Bool
    /// When the sign-in ends, in seconds since 1970-01-01T00:00:00Z.
    public var expiresAt: Int
  }

  /// The part of a device authorization response that the user needs (RFC 8628, section 3.2).
  public struct DeviceCode: Sendable, Hashable {
    /// The account's name.
    public var account: String
    /// The authorization server's issuer identifier.
    public var issuer: String
    /// The code, as the server spells it.
    public var userCode: String
    /// The URL where the user must enter the code.
    public var verificationURI: String
    /// The URL that includes the code, for example for a QR code.
    public var verificationURIComplete: String?
    /// When the code expires, in seconds since 1970-01-01T00:00:00Z.
    public var expiresAt: Int
  }

  private let replies: ReplyStream
  private let agent: Agent
  /// The sign-in's ID, once known.
  private let loginID = Monitor<String?>(nil)

  init(_ replies: ReplyStream, _ agent: Agent) {
    self.replies = replies
    self.agent = agent
  }

  /// Passes the URL at which the browser has ended, after a ``Step/openPage(_:)`` with ``Page/mustPaste``.
  ///
  /// - Parameter url: The complete URL, at most 16,384 bytes.
  /// - Throws: An error with the code `redirect_rejected` if the URL is not the response of this sign-in, which
  ///   continues.
  public func pass(redirect url: String) async throws(AgentError) {
    _ = try await agent.ask(.loginStep(.redirect(loginID: try requireLoginID(), url: url)))
  }

  /// Answers ``Step/confirm(subject:name:)``.
  ///
  /// - Parameter isUser: Whether the user confirms the sign-in. If false, the server ends the session and the sign-in
  ///   fails.
  public func confirm(_ isUser: Bool) async throws(AgentError) {
    _ = try await agent.ask(.loginStep(.confirm(loginID: try requireLoginID(), isConfirmed: isUser)))
  }

  /// Throws if no step has contained the ID yet.
  private func requireLoginID() throws(AgentError) -> String {
    guard let login = loginID.withLock({ $0 }) else {
      throw AgentError(.invalidRequest, "the sign-in is not waiting for an answer")
    }
    return login
  }

  /// Returns an iterator over the remaining steps.
  ///
  /// It throws the reason why the sign-in failed: ``AgentError/Remedy/signIn`` if a code expired,
  /// ``AgentError/Remedy/none`` if the user or the server denied the sign-in.
  public func makeAsyncIterator() -> AgentIterator<Step> { AgentIterator(advance: next) }

  private func next() async throws(AgentError) -> Step? {
    while true {
      switch try await replies.next() {
      case .event(let event): if let step = step(event) { return step }
      case .failure(let failure): throw AgentError(failure)
      case .result(let result):
        guard let session = Session(signedIn: result) else { throw AgentError(Reply.unreadable) }
        return .signedIn(session, wasGuest: result["upgraded_from_guest"]?.bool == true)
      case nil: return nil
      }
    }
  }

  /// The step for an event; nil for an unknown event of a newer agent.
  private func step(_ event: Event) -> Step? {
    switch event {
    case .browser(let browser):
      loginID.withLock { $0 = browser.loginID }
      return .openPage(
        Page(
          account: browser.account, issuer: browser.issuer, url: browser.url, linkURL: browser.linkURL,
          redirectURI: browser.redirectURI,
          mustPaste: browser.mustPaste, expiresAt: browser.expiresAt))
    case .deviceCode(let code):
      loginID.withLock { $0 = code.loginID }
      return .enterCode(
        DeviceCode(
          account: code.account, issuer: code.issuer, userCode: code.userCode, verificationURI: code.verificationURI,
          verificationURIComplete: code.verificationURIComplete, expiresAt: code.expiresAt))
    case .confirm(let confirm):
      loginID.withLock { $0 = confirm.loginID }
      return .confirm(subject: confirm.subject, name: confirm.name)
    case .redirectRefused(let failure): return .redirectRefused(AgentError(failure))
    case .notice(let message): return .notice(message.english)
    default: return nil
    }
  }
}

extension Session {
  /// The session in a sign-in's result.
  fileprivate init?(signedIn result: JSONObject) {
    guard let account = result["account"]?.string, let issuer = result["issuer"]?.string else { return nil }
    self.init(
      account: account, issuer: issuer, subject: result["subject"]?.string,
      scope: result["scope"]?.string?.split(separator: " ").map(String.init), expiresAt: result["expires_at"]?.int)
  }
}
