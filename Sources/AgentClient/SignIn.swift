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
/// Ends after ``Step/signedIn(_:wasGuest:)`` or with an error. To cancel the sign-in without storing anything, release
/// the sequence or cancel the waiting task. Use it from one task.
public final class SignIn: AsyncSequence, Sendable {
  /// A step of a sign-in.
  public enum Step: Sendable, Hashable {
    /// The user must open a URL in a browser.
    case openPage(Page)
    /// The user must enter a code at a URL, on any device.
    case enterCode(DeviceCode)
    /// The user must confirm, since the browser may be another user's. Nothing is stored before ``SignIn/confirm(_:)``.
    /// `subject` and `name` are from the ID Token.
    case confirm(subject: String?, name: String?)
    /// The URL passed to ``SignIn/pass(redirect:)`` is not this sign-in's response. The sign-in continues.
    case redirectRefused(AgentError)
    /// One sentence, safe for a terminal.
    case notice(String)
    /// The sign-in has succeeded. The session has no claims; ``Agent/currentUser(_:)`` returns them. `wasGuest`:
    /// whether the account's previous session was a guest's.
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
    /// Whether the user must paste the browser's final URL, for ``SignIn/pass(redirect:)``.
    public var mustPaste: Bool
    /// When the sign-in ends, in Unix seconds.
    public var expiresAt: Int
  }

  /// The device authorization response for the user (RFC 8628, section 3.2).
  public struct DeviceCode: Sendable, Hashable {
    /// The account's name.
    public var account: String
    /// The authorization server's issuer identifier.
    public var issuer: String
    /// The code, as the server spells it.
    public var userCode: String
    /// The URL where the user must enter the code.
    public var verificationURI: String
    /// The URL including the code, for example for a QR code.
    public var verificationURIComplete: String?
    /// When the code expires, in Unix seconds.
    public var expiresAt: Int
  }

  private let replies: ReplyStream
  private let agent: Agent
  private let loginID = Monitor<String?>(nil)

  init(_ replies: ReplyStream, _ agent: Agent) {
    self.replies = replies
    self.agent = agent
  }

  /// Passes the browser's final URL, after a ``Step/openPage(_:)`` with ``Page/mustPaste``.
  ///
  /// - Parameter url: The complete URL, at most 16,384 bytes.
  /// - Throws: `redirect_rejected` if the URL is not this sign-in's response. The sign-in continues.
  public func pass(redirect url: String) async throws(AgentError) {
    _ = try await agent.ask(.loginStep(.redirect(loginID: try requireLoginID(), url: url)))
  }

  /// Answers ``Step/confirm(subject:name:)``: true if the user confirms. Otherwise the agent revokes the new tokens and
  /// the sign-in fails.
  public func confirm(_ isUser: Bool) async throws(AgentError) {
    _ = try await agent.ask(.loginStep(.confirm(loginID: try requireLoginID(), isConfirmed: isUser)))
  }

  private func requireLoginID() throws(AgentError) -> String {
    guard let login = loginID.withLock({ $0 }) else {
      throw AgentError(.invalidRequest, "the sign-in is not waiting for an answer")
    }
    return login
  }

  /// Returns an iterator over the remaining steps. It throws ``AgentError/Remedy/signIn`` if a code expired,
  /// ``AgentError/Remedy/none`` if the user or server denied the sign-in.
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

  /// Nil for an unknown event of a newer agent.
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
  fileprivate init?(signedIn result: JSONObject) {
    guard let account = result["account"]?.string, let issuer = result["issuer"]?.string else { return nil }
    self.init(
      account: account, issuer: issuer, subject: result["subject"]?.string,
      scope: result["scope"]?.string?.split(separator: " ").map(String.init), expiresAt: result["expires_at"]?.int)
  }
}
