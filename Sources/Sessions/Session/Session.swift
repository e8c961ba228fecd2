internal import Crypto
package import Platform
internal import OAuth
internal import Synchronization

/// The state machine of an account's session, driven by the daemon's loop.
///
/// A new generation begins when the session ends or its token is replaced. Results of refreshes from earlier
/// generations are ignored. Generations are unique in the process.
package struct Session: Sendable {
  /// A refresh is possible in both states, since another process may have signed in.
  enum State: Sendable {
    /// The state in which the session ended, or nil if it may have a grant. `renewFrom` schedules the first token
    /// request under the background policy.
    case tokenless(SessionState?, renewFrom: Instant?)
    case granted(CachedToken)
  }

  enum Activity: Sendable {
    case idle
    /// A refresh waits for the network or the server.
    case queued(Backoff.Priority)
    case refreshing(Refresh)
  }

  var state = State.tokenless(nil, renewFrom: nil)
  var activity = Activity.idle
  var backoff = Backoff()
  package private(set) var generation = Self.nextGeneration()
  /// Newest first. Their access tokens may still be valid.
  package private(set) var earlierGrants: [AccessGrant] = []
  /// Limits ``earlierGrants``.
  private static let maximumEarlier = 4
  /// Limits the total token size of ``earlierGrants``.
  private static let maximumEarlierBytes = 16 << 10
  /// The latest refresh or sign-in, in unix seconds. Nil if unknown or signed out.
  package private(set) var refreshedAt: Int?
  package private(set) var isSigningIn = false
  package var policy = RefreshPolicy.proactive

  package init() {}

  private static let lastGeneration = Atomic<UInt64>(0)

  private static func nextGeneration() -> UInt64 {
    lastGeneration.add(1, ordering: .relaxed).newValue
  }

  var token: CachedToken? { if case .granted(let token) = state { token } else { nil } }

  package var grant: AccessGrant? { token?.grant }

  package var refresh: Refresh? { if case .refreshing(let refresh) = activity { refresh } else { nil } }

  package var lastFailure: SessionError? { backoff.failure?.error }

  /// Nil after a success, or if unknown.
  package var failedAt: Instant? { backoff.failure?.failedAt }

  /// Whether the latest refresh failed temporarily.
  package var isOffline: Bool { lastFailure?.isTemporary ?? false }

  package var isTokenUsed: Bool { token?.isUsed ?? false }

  package var isRenewable: Bool { token?.notices.isRenewable ?? true }

  /// Whether the cached token may be valid and only a sign-in can replace it.
  package func hasIrreplaceableToken(at now: Instant) -> Bool { token?.isIrreplaceable(at: now) ?? false }

  mutating func updateToken(_ change: (inout CachedToken) -> Void) {
    guard case .granted(var token) = state else { return }
    change(&token)
    state = .granted(token)
  }

  /// The state to show to users.
  package func state(now: Instant) -> SessionState {
    if isSigningIn { return .signingIn }
    if case .refreshing = activity { return .refreshing }
    if case .tokenless(let ended?, _) = state { return ended }
    if lastFailure?.needsSignIn == true { return .expired }
    if isOffline { return .offline }
    return cachedGrant(by: TokenNeed(), now: now) == nil ? .stale : .active
  }

  // MARK: - Requests

  /// Responds to a caller's request. Evaluates the server's `pause` only if a refresh would start.
  package mutating func request(
    _ need: TokenNeed, account: String, now: Instant, pause: @autoclosure () -> ServerPause? = nil
  ) -> Decision {
    if case .refreshing = activity { return cachedGrant(by: need, now: now).map { .serve($0) } ?? .wait(start: nil) }
    if let grant = cachedGrant(by: need, now: now) {
      updateToken { $0.isUsed = true }
      return .serve(grant)
    }
    if let grant, let lifetime = grant.lifetimeSeconds, let minimum = need.minimumValiditySeconds, !need.forceRefresh,
      minimum >= lifetime, grant.isAlive(at: now)
    {
      return .fail(.lifetimeTooShort(account: account, lifetime: lifetime))
    }
    if let lastFailure, lastFailure.mayHaveReplacedToken, need.newerThan == generation, grant?.isAlive(at: now) == true
    {
      return .fail(lastFailure)
    }
    if let fallback = fallback(for: need, now: now), backoff.prefersCachedToken(policy, now: now) {
      return .serve(fallback)
    }
    if let refusal = backoff.refusal(requiresNewToken: need.forceRefresh, now: now) { return .fail(refusal) }
    if let pause = pause(), now < pause.until, !pause.mayBeIgnored(for: need) {
      return fallback(for: need, now: now).map { .serve($0) } ?? .fail(pause.refusal(at: now))
    }
    updateToken { $0.isUsed = true }
    if hasIrreplaceableToken(at: now) {
      // The token may be valid once the clock is corrected, but a refresh would end the session.
      return fallback(for: need, now: now).map { .serve($0) } ?? .fail(.expired(account: account))
    }
    return .wait(start: beginRefresh(now: now))
  }

  /// The cached token, if it satisfies `need`.
  package func cachedGrant(by need: TokenNeed, now: Instant) -> AccessGrant? {
    guard !wantsNewToken(need), let token, token.satisfies(need, policy, now: now) else { return nil }
    return token.grant
  }

  /// The cached token, if valid and `need` requires neither a minimum lifetime nor a new token.
  package func fallback(for need: TokenNeed, now: Instant) -> AccessGrant? {
    guard policy != .strict, !wantsNewToken(need), need.minimumValiditySeconds == nil, let grant, grant.isAlive(at: now)
    else { return nil }
    return grant
  }

  private func wantsNewToken(_ need: TokenNeed) -> Bool { need.forceRefresh || need.newerThan == generation }

  mutating func beginRefresh(now: Instant) -> Refresh {
    let started = Refresh(generation: generation, attempt: 1, startedAt: now)
    activity = .refreshing(started)
    return started
  }

  // MARK: - The end of a refresh

  /// Applies an attempt's result. `wallSeconds` is `now` in unix seconds; `jitter` is random in 0..<1.
  package mutating func applyRefreshResult(
    _ ended: Refresh, _ outcome: Result<AccessGrant, SessionError>, now: Instant, wallSeconds: Int, jitter: Double
  ) -> RefreshResult {
    guard ended.generation == generation, refresh != nil else { return .ignored }
    switch outcome {
    case .success(let renewed):
      cacheToken(renewed, isRenewable: renewed.isRenewable, wallSeconds: wallSeconds, jitter: jitter)
      return .renewed(renewed)
    case .failure(let error):
      if let next = nextAttempt(after: ended, error, now: now) {
        activity = .refreshing(next)
        return .retry(next, after: RefreshPolicy.wait(beforeAttempt: next.attempt, jitter: jitter))
      }
      return .failed(applyFailure(error, now: now))
    }
  }

  /// Starts the next attempt when its timer ends. Nil if no longer needed.
  package mutating func startRetry(_ waiting: Refresh) -> Refresh? {
    guard var current = refresh, current == waiting else { return nil }
    current.isWaiting = false
    activity = .refreshing(current)
    return current
  }

  /// After a lost response, only the first attempt is repeated, within 30 seconds.
  private func nextAttempt(after ended: Refresh, _ error: SessionError, now: Instant) -> Refresh? {
    guard error.isSafeToRetry, error.retryAfterSeconds == nil, ended.attempt < RefreshPolicy.maximumAttempts else {
      return nil
    }
    // Waiting for the lock took as long as callers wait. An intermediary will repeat its refusal.
    if error.isBusy || error.refusalOutsideProtocol != nil { return nil }
    if case .oauth(let oauth) = error, oauth.followsSuccess { return nil }
    if case .oauth(let oauth) = error, oauth.isResponseLost,
      ended.startedAt.duration(to: now) > RefreshPolicy.replayWindow || ended.attempt > 1
    {
      return nil
    }
    var next = ended
    next.attempt += 1
    next.isWaiting = true
    return next
  }

  /// Ignores the result of the running refresh.
  package mutating func abandonRefresh() { if refresh != nil { activity = .idle } }

  private mutating func applyFailure(_ error: SessionError, now: Instant) -> SessionError {
    activity = .idle
    if error.isLocked {
      // A locked vault does not end the session.
      dropToken()
      backoff.dropRetries()
      return error
    }
    let error = backoff.refreshFailed(error, now: now)
    if policy == .offline, error.isSafeToRetry { activity = .queued(.background) }
    switch error.effect {
    case .ended(let ended): state = .tokenless(ended, renewFrom: nil)
    case .blocked:
      // With the background policy, the session checks whether tokens are still withheld.
      dropToken(renewFrom: error.awaitsIdentity && policy == .background ? now : nil)
    case .signInNeeded, .none: break
    }
    return error
  }

  private mutating func cacheToken(_ renewed: AccessGrant, isRenewable: Bool, wallSeconds: Int, jitter: Double) {
    let replaced = ([grant].compactMap { $0 } + earlierGrants).prefix(Self.maximumEarlier)
    beginGeneration(.granted(CachedToken(renewed, isRenewable: isRenewable, jitter: jitter)))
    var bytes = 0
    earlierGrants = Array(
      replaced.prefix { grant in
        bytes += grant.accessToken.count + (grant.idToken?.count ?? 0)
        return bytes <= Self.maximumEarlierBytes
      })
    refreshedAt = wallSeconds
  }

  private mutating func beginGeneration(_ state: State) {
    earlierGrants = []
    generation = Self.nextGeneration()
    activity = .idle
    backoff = Backoff()
    self.state = state
  }

  /// Wipes the cached token. `renewFrom` is the new time of the first request, if any.
  mutating func dropToken(renewFrom: Instant? = nil) {
    let ended = if case .tokenless(let ended, _) = state { ended } else { SessionState?.none }
    state = .tokenless(ended, renewFrom: renewFrom)
  }

  // MARK: - Events outside of a refresh

  /// Applies a successful sign-in at `wallSeconds` (unix seconds). `jitter` is random in 0..<1.
  package mutating func applySignIn(
    _ grant: AccessGrant, isRenewable: Bool = true, wallSeconds: Int, jitter: Double
  ) {
    cacheToken(grant, isRenewable: isRenewable, wallSeconds: wallSeconds, jitter: jitter)
    isSigningIn = false
  }

  package mutating func markSignInStarted() { isSigningIn = true }
  package mutating func markSignInEnded() { isSigningIn = false }

  package mutating func applySignOut() {
    beginGeneration(.tokenless(.signedOut, renewFrom: nil))
    refreshedAt = nil
  }

  /// Records that the server ended the session.
  package mutating func recordRemoteEnd(account: String) {
    beginGeneration(.tokenless(.expired, renewFrom: nil))
    refreshedAt = nil
    backoff.sessionEnded(.expired(account: account))
  }

  /// Drops the cached token and failure, but not the grant. The next caller starts a refresh.
  package mutating func forgetToken() { beginGeneration(.tokenless(nil, renewFrom: nil)) }

  /// Adjusts the cached token's times to a clock set to `wallSeconds` (unix seconds) at `now`.
  package mutating func applyClockChange(wallSeconds: Int, now: Instant) {
    updateToken { $0.applyClockChange(wallSeconds: wallSeconds, now: now) }
    if let grant { refreshedAt = grant.issuedAtByCurrentClock }
  }

  /// Records that the cached token's record was renamed or got another protection.
  package mutating func applyRecordRewrite(to generation: UInt64, protection: Protection? = nil) {
    updateToken { $0.grant = $0.grant.moved(to: generation, protection: protection) }
  }

  /// Applies the record's state, if no token is cached. `ending` is its ``AccountRecord/endError(_:now:)``.
  package mutating func applyRecord(isGranted: Bool, ending: SessionError?, refreshedAt: Int?) {
    guard case .tokenless(_, let renewFrom) = state, refresh == nil else { return }
    let ended = if case .ended(let ended) = ending?.effect { ended } else { SessionState.signedOut }
    state = .tokenless(isGranted ? nil : ended, renewFrom: renewFrom)
    self.refreshedAt = self.refreshedAt ?? refreshedAt
  }
}
