internal import Platform
internal import Wire

/// The session of one account in a container. Returns tokens, reports renewals, and fails if the container's
/// installation changes.
///
/// ```swift
/// let session = RefreshableSession("work", in: Agent()) { print("renewed until \($0.expiresAt ?? 0)") }
/// let answer = try await session.send { token in
///   let answer = try await fetch(url, authorization: token.revealedAuthorization())
///   return answer.status == 401 ? .rejected : .answered(answer)
/// }
/// ```
///
/// Remembers the latest token's session, but not the token. Forgets the user at ``signOut()`` or if the session has
/// ended.
public final class RefreshableSession<Container: SessionContainer>: Sendable {
  /// Receives a renewed session, before its token is returned.
  public typealias RefreshHandler = @Sendable (Session) -> Void

  /// The result of a request with a token.
  public enum Outcome<Answer: ~Copyable>: ~Copyable {
    case answered(Answer)
    /// The resource rejected the token, for example with status 401 (RFC 6750, section 3.1).
    case rejected
  }

  private struct KnownSession {
    /// Nil after a sign-out.
    var session: Session?
    let installation: InstallationID?
    /// Fingerprints of recent tokens, oldest first.
    var tokens: [Int]
  }

  /// A fresh token that a resource rejected.
  private struct Rejection {
    let fingerprint: Int
    let expiry: Instant
  }

  /// How long a resource that rejected a fresh token causes no further renewals.
  private static var rejectionLifetime: Duration { .seconds(300) }
  /// How many rejections are kept, one for each resource.
  private static var maximumRejections: Int { 64 }

  /// More than one, because a slower task may record an older token after a newer one.
  private static var maximumFingerprints: Int { 16 }

  private let account: String?
  private let container: Container
  private let options: TokenOptions
  private let reportRefresh: RefreshHandler?
  /// Nil before the first token.
  private let known = Monitor<KnownSession?>(nil)
  /// The latest rejection by each resource.
  private let rejections = Monitor<[String: Rejection]>([:])

  /// Creates a session, by default of the active account, without requesting anything yet. Ignores
  /// ``TokenOptions/forcesRefresh``. Calls `reportRefresh` once for each new token except the first one.
  public init(
    _ account: String? = nil, in container: Container, _ options: TokenOptions = TokenOptions(),
    onRefresh reportRefresh: RefreshHandler? = nil
  ) {
    self.account = account
    self.container = container
    self.options = options
    self.reportRefresh = reportRefresh
  }

  /// The session of the latest token; nil before the first one and after a sign-out.
  public var latest: Session? { known.withLock { $0?.session } }

  /// Returns a valid access token, renewing it first if necessary.
  ///
  /// - Throws: ``AgentError/Remedy/signIn`` if the session is missing or has ended or, with the code
  ///   `installation_changed`, the container's installation has changed since the previous token.
  public func token() async throws(AgentError) -> AccessToken { try await token(forcesRefresh: false) }

  /// Ends the session in its container, and forgets the user.
  public func signOut() async throws(AgentError) {
    try await container.signOut(account)
    forget()
  }

  /// Forgets the user, but not the installation, which a new session must belong to.
  private func forget() {
    known.withLock { known in
      known?.session = nil
      known?.tokens = []
    }
    rejections.withLock { $0 = [:] }
  }

  /// Sends a request with a token. If the resource rejects the token, renews it and retries once.
  ///
  /// A resource that rejects a fresh token causes no further renewals for five minutes, or until the token is renewed.
  /// `resource` is any name, for example the origin.
  ///
  /// - Throws: Like ``token()``; ``AgentError/Remedy/signIn`` with the code `token_refused` if the resource rejects a
  ///   fresh token; or the error of `request`.
  nonisolated(nonsending) public func send<Answer: ~Copyable>(
    to resource: String = "",
    _ request: nonisolated(nonsending) (borrowing AccessToken) async throws -> Outcome<Answer>
  ) async throws -> Answer {
    for forcesRefresh in [false, true] {
      let token = try await token(forcesRefresh: forcesRefresh)
      switch try await request(token) {
      case .answered(let answer): return answer
      case .rejected: break
      }
      let fingerprint = token.fingerprint()
      if forcesRefresh {
        remember(
          Rejection(fingerprint: fingerprint, expiry: Instant.now.advanced(by: Self.rejectionLifetime)), resource)
      }
      if rejections.withLock({ $0[resource].map { $0.fingerprint == fingerprint && Instant.now < $0.expiry } ?? false })
      {
        break
      }
    }
    throw AgentError(.tokenRefused, "the resource rejects even new tokens of this session")
  }

  private func remember(_ rejection: Rejection, _ resource: String) {
    rejections.withLock { rejections in
      rejections[resource] = rejection
      guard rejections.count > Self.maximumRejections else { return }
      let oldest = rejections.min { $0.value.expiry < $1.value.expiry }?.key
      if let oldest { rejections[oldest] = nil }
    }
  }

  private func token(forcesRefresh: Bool) async throws(AgentError) -> AccessToken {
    var options = options
    options.forcesRefresh = forcesRefresh
    let token: AccessToken
    do throws(AgentError) { token = try await container.token(for: account, options) } catch {
      if error.remedy == .signIn { forget() }
      throw error
    }
    if try await recordToken(token.fingerprint(), token.session) { reportRefresh?(token.session) }
    return token
  }

  /// Records a token; true if it is new and not the first. Compares fingerprints, not expiries, which may be missing or
  /// change with the clock.
  private func recordToken(_ fingerprint: Int, _ session: Session) async throws(AgentError) -> Bool {
    let isKnown = known.withLock { known -> Bool in
      guard let tokens = known?.tokens, tokens.contains(fingerprint) else { return false }
      known?.session = session
      return true
    }
    if isKnown { return false }
    // Only a new token can belong to a new installation.
    let installation = try await container.installation()
    return try known.withLock { (known) throws(AgentError) -> Bool in
      guard var now = known else {
        known = KnownSession(session: session, installation: installation, tokens: [fingerprint])
        return false
      }
      guard now.installation == installation else {
        known?.session = nil
        known?.tokens = []
        throw AgentError(
          .installationChanged, "the session is another installation's, please sign in again")
      }
      // The first token is not a renewal. Another task may have been faster.
      let isNew = now.session != nil && !now.tokens.contains(fingerprint)
      now.session = session
      if !now.tokens.contains(fingerprint) { now.tokens.append(fingerprint) }
      now.tokens.removeFirst(max(0, now.tokens.count - Self.maximumFingerprints))
      known = now
      return isNew
    }
  }
}
