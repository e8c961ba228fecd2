internal import Platform

/// The session of one account in a container of any kind: it hands out tokens, tells when the session was renewed, and
/// ends with the installation that it began in.
///
/// ```swift
/// let session = RefreshableSession("work", in: AgentSessions()) { print("renewed until \($0.expiresAt ?? 0)") }
/// let answer = try session.send { token in try request(with: token) }
/// ```
public final class RefreshableSession<Container: SessionContainer>: Sendable {
  /// Is told what the session is now, on the thread that asked for a token.
  public typealias RefreshHandler = @Sendable (Session) -> Void

  /// What came of a request that was sent with a token.
  public enum Outcome<Answer: ~Copyable>: ~Copyable {
    case answered(Answer)
    /// The resource did not take the token, as by status 401 (RFC 6750, section 3.1).
    case rejected
  }

  private struct Known {
    var session: Session
    var installation: InstallationID?
  }

  private let account: String?
  private let container: Container
  private let options: TokenOptions
  private let tellRefresh: RefreshHandler?
  private let known = Monitor<Known?>(nil)

  /// Nothing is asked for yet.
  ///
  /// - Parameters:
  ///   - account: nil means the active one.
  ///   - options: What its tokens are to be good for. ``TokenOptions/forcesRefresh`` is not looked at.
  ///   - tellRefresh: Called after each renewal, and not for the first token.
  public init(
    _ account: String? = nil, in container: Container, _ options: TokenOptions = TokenOptions(),
    onRefresh tellRefresh: RefreshHandler? = nil
  ) {
    self.account = account
    self.container = container
    self.options = options
    self.tellRefresh = tellRefresh
  }

  /// What the session was when a token was last handed out; nil before.
  public var latest: Session? { known.withLock { $0?.session } }

  /// A valid access token, renewed first if need be.
  ///
  /// - Throws: ``AgentError/Remedy/signIn`` when there is no session, when it has ended, and, with the code
  ///   `installation_changed`, when the one that is there now belongs to another installation than the one before.
  public func token() throws(AgentError) -> AccessToken { try token(forcesRefresh: false) }

  /// Sends a request with a token. When the token is rejected it is renewed once and the request sent once more.
  ///
  /// - Throws: As ``token()``; ``AgentError/Remedy/signIn`` with the code `session_expired` when the new token is
  ///   rejected too; what `request` throws.
  public func send<Answer: ~Copyable>(
    _ request: (borrowing AccessToken) throws(AgentError) -> Outcome<Answer>
  ) throws(AgentError) -> Answer {
    for forcesRefresh in [false, true] {
      let token = try token(forcesRefresh: forcesRefresh)
      switch try request(token) {
      case .answered(let answer): return answer
      case .rejected: continue
      }
    }
    throw AgentError(.signIn, code: "session_expired", message: "the server refuses new tokens too")
  }

  private func token(forcesRefresh: Bool) throws(AgentError) -> AccessToken {
    var options = options
    options.forcesRefresh = forcesRefresh
    let token = try container.token(for: account, options)
    let before = known.withLock { $0 }
    guard before?.session != token.session else { return token }
    // An installation does not change while its session does not.
    let installation = try container.installation()
    if let before, before.installation != installation {
      throw AgentError(
        .signIn, code: "installation_changed", message: "the session is another installation's, please sign in again")
    }
    known.withLock { $0 = Known(session: token.session, installation: installation) }
    if before != nil { tellRefresh?(token.session) }
    return token
  }
}
