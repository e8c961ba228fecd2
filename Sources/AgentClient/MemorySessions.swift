internal import Platform
internal import Wire

/// Sessions in this program's memory, for tests and experiments.
///
/// The first account added is the active one. Tokens are plain strings.
public final class MemorySessions: SessionContainer {
  /// An access token and its session.
  public struct Grant: Sendable {
    /// The access token.
    public var token: String
    /// The token's session.
    public var session: Session

    /// Creates a grant.
    public init(token: String, session: Session) {
      self.token = token
      self.session = session
    }
  }

  /// Renews a session whose token expires too soon, or at the caller's request.
  ///
  /// An ``AgentError`` reaches the caller unchanged. A `CancellationError` gets the code `cancelled`, other errors
  /// `internal_error`.
  public typealias RefreshHandler = @Sendable (_ session: Session, _ options: TokenOptions) async throws -> Grant

  private struct Entry {
    let issuer: String
    /// Nil after a sign-out.
    var grant: Grant?
    /// Nil if the session cannot be renewed.
    var refresh: RefreshHandler?
  }

  private struct State {
    var installation = InstallationID.random()
    var entries: [String: Entry] = [:]
    var active: String?
  }

  private let state = Monitor(State())
  private let now: @Sendable () -> Int

  /// Creates an empty container with a new installation. `now` returns Unix seconds.
  public init(now: @escaping @Sendable () -> Int) { self.now = now }

  /// Adds a session, or replaces the same account's. Without `refresh`, an expired session requires a sign-in.
  public func add(_ grant: Grant, refresh: RefreshHandler? = nil) {
    state.withLock {
      $0.entries[grant.session.account] = Entry(
        issuer: grant.session.issuer, grant: grant, refresh: refresh)
      $0.active = $0.active ?? grant.session.account
    }
  }

  /// Removes all sessions and begins a new installation.
  public func reinstall() { state.withLock { $0 = State() } }

  /// The installation that the sessions belong to.
  public func installation() -> InstallationID? { state.withLock { $0.installation } }

  /// All accounts, signed in or not.
  public func accounts() -> [Account] {
    let now = now()
    return state.withLock { state in
      state.entries.keys.sorted().compactMap { name in
        guard let entry = state.entries[name] else { return nil }
        return Account(
          name: name, isActive: name == state.active, issuer: entry.issuer, state: Self.state(of: entry, now: now))
      }
    }
  }

  private static func state(of entry: Entry, now: Int) -> Account.State {
    guard let grant = entry.grant else { return .signedOut }
    if grant.session.expiresAt.map({ $0 > now }) ?? true { return .active }
    return entry.refresh == nil ? .expired : .stale
  }

  /// Returns a valid access token, by default of the active account, renewing it first if necessary. The refresh
  /// handler gets all options.
  public func token(
    for account: String? = nil, _ options: TokenOptions = TokenOptions()
  ) async throws(AgentError) -> AccessToken {
    let (name, entry) = try entry(account)
    guard let current = entry.grant else { throw Self.signedOutError(name) }
    let needed = options.minimumValidity?.wholeSeconds ?? 0
    let left = current.session.expiresAt.map { $0 - now() } ?? .max
    if left > 0, left >= needed, !options.forcesRefresh { return Self.token(current) }
    // Call the handler without the lock, since it may be slow.
    guard let refresh = entry.refresh else {
      throw AgentError(.sessionExpired, "session expired, please sign in again")
    }
    let grant: Grant
    do { grant = try await refresh(current.session, options) } catch { throw Self.refreshError(error) }
    // An account that was signed out meanwhile stays signed out.
    let isKept = state.withLock { state in
      guard state.entries[name]?.grant != nil else { return false }
      state.entries[name]?.grant = grant
      return true
    }
    guard isKept else { throw Self.signedOutError(name) }
    return Self.token(grant)
  }

  /// Ends a session, by default the active account's, and deletes its token and refresh handler. The account remains.
  public func signOut(_ account: String? = nil) throws(AgentError) {
    let (name, _) = try entry(account)
    state.withLock {
      $0.entries[name]?.grant = nil
      $0.entries[name]?.refresh = nil
    }
  }

  /// An account's name and entry. The default is the active account.
  private func entry(_ account: String?) throws(AgentError) -> (String, Entry) {
    let found: (String, Entry)? = state.withLock { state in
      guard let name = account ?? state.active, let entry = state.entries[name] else { return nil }
      return (name, entry)
    }
    guard let found else { throw AgentError(.noAccount, "there is no such account") }
    return found
  }

  private static func token(_ grant: Grant) -> AccessToken {
    let bytes = Array(grant.token.utf8)
    return AccessToken(bytes.span, session: grant.session)
  }

  private static func refreshError(_ error: any Error) -> AgentError {
    switch error {
    case let error as AgentError: error
    case is CancellationError: AgentError(.cancelled, "the task was cancelled")
    default: AgentError(.internalError, "the renewal failed: \(error)")
    }
  }

  private static func signedOutError(_ account: String) -> AgentError {
    AgentError(.signedOut, "\(account) is signed out")
  }
}
