package import Platform
internal import Vault
internal import OAuth
package import Vocabulary

/// The live state of one account: pure logic, driven by the daemon's loop.
///
/// Each refresh carries the generation it was started in; whatever ends the session or replaces its
/// token moves the generation on, so that a slow answer never overwrites a newer state.
package struct Session: Sendable {
  /// The known state of the grant in the vault.
  enum Standing: Sendable { case unknown, signedOut, granted, expired }

  private(set) var standing = Standing.unknown
  package private(set) var grant: AccessGrant?
  package private(set) var generation: UInt64 = 0
  package internal(set) var refresh: Refresh?
  /// Why the last refresh failed; nil after a success.
  package private(set) var lastFailure: SessionError? {
    didSet { isOffline = lastFailure?.isPassing ?? false }
  }
  /// The last refresh failed for a passing reason.
  package private(set) var isOffline = false
  /// Unix seconds.
  package private(set) var refreshedAt: Int?
  package private(set) var isSigningIn = false
  /// When the token is renewed.
  package var policy = RefreshPolicy.proactive

  /// The server asked not to be called before.
  private(set) var retryNotBefore: Instant?
  /// Callers who do not insist get the last failure until then.
  private var callersRestUntil: Instant?
  var failuresInARow = 0
  private(set) var failedAt: Instant?
  package private(set) var usedSinceRefresh = false
  /// How long before its expiry the cached token is renewed in the background, with its jitter.
  private(set) var renewalLead = Duration.zero
  /// The queued refresh, to be made as soon as possible after a failure; nil when there is none.
  var queue: Queue?
  /// Before this time only a caller starts a refresh.
  var calmUntil: Instant?
  /// The earliest retry after a change of the network, in place of the wait after the last failure.
  var hurriedTo: Instant?
  /// When a session with the background policy gets its first token.
  var freshFrom: Instant?
  /// The last notice about the end of the cached token.
  var told = Told.nothing
  /// Whether a new token can be got without a person.
  package private(set) var isRenewable = true

  package init() {}
}

extension Session {
  /// Returns the cached token, the refresh to wait for, or the error for one request.
  ///
  /// - Parameter hold: The hold of the server, evaluated only where a refresh would start.
  package mutating func request(
    _ need: TokenNeed, account: String, now: Instant, hold: @autoclosure () -> ServerHold? = nil
  ) -> Decision {
    if refresh != nil { return satisfied(by: need, now: now).map { .serve($0) } ?? .wait(start: nil) }
    if let grant = satisfied(by: need, now: now) {
      usedSinceRefresh = true
      return .serve(grant)
    }
    if let grant, let lifetime = grant.lifetimeSeconds, let minimum = need.minimumValiditySeconds, !need.forceRefresh,
      minimum >= lifetime, grant.isAlive(at: now)
    {
      return .fail(.lifetimeTooShort(account: account, lifetime: lifetime))
    }
    if let lastFailure, lastFailure.leavesDoubt, need.newerThan == generation, grant?.isAlive(at: now) == true {
      // As with renewals that no caller asked for, a refresh token in doubt is not sent again while there is a valid
      // token.
      return .fail(lastFailure)
    }
    if let lastFailure, let fallback = fallback(for: need, now: now), isTooSoon(after: lastFailure, now: now) {
      return .serve(fallback)
    }
    if let callersRestUntil, now < callersRestUntil, !need.forceRefresh, let lastFailure {
      return .fail(
        lastFailure.needsSignIn ? lastFailure : lastFailure.asking(toWait: now.duration(to: callersRestUntil)))
    }
    if let retryNotBefore, now < retryNotBefore, let lastFailure {
      return .fail(lastFailure.asking(toWait: now.duration(to: retryNotBefore)))
    }
    if let hold = hold(), now < hold.until, !hold.yields(to: need) {
      return fallback(for: need, now: now).map { .serve($0) } ?? .fail(hold.refusal(at: now))
    }
    usedSinceRefresh = true
    return .wait(start: beginRefresh(now: now))
  }

  /// The cached token if it is good enough for `need`.
  package func satisfied(by need: TokenNeed, now: Instant) -> AccessGrant? {
    guard !wantsAnother(need), let grant else { return nil }
    if let cacheEnd, now >= cacheEnd { return nil }
    guard let remaining = grant.remaining(at: now) else { return grant }
    let wanted =
      need.minimumValiditySeconds.map { Duration.seconds($0) }
      ?? RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds)
    return remaining > .zero && remaining >= wanted ? grant : nil
  }

  /// A token that is still alive, for a caller who named no minimum and did not ask for a new one.
  package func fallback(for need: TokenNeed, now: Instant) -> AccessGrant? {
    guard policy != .strict, !wantsAnother(need), need.minimumValiditySeconds == nil, let grant, grant.isAlive(at: now)
    else { return nil }
    return grant
  }

  /// Whether the cached token is not acceptable, however long it lasts.
  private func wantsAnother(_ need: TokenNeed) -> Bool { need.forceRefresh || need.newerThan == generation }

  /// Whether another attempt is pointless, or harmful, for a caller who need not wait for it.
  private func isTooSoon(after failure: SessionError, now: Instant) -> Bool {
    if failure.leavesDoubt { return true }
    guard failure.isPassing, let failedAt else { return false }
    if policy == .offline { return true }
    return now < failedAt.advanced(by: RefreshPolicy.pauseAfterFailure) || retryNotBefore.map { now < $0 } ?? false
  }

  mutating func beginRefresh(now: Instant) -> Refresh {
    let started = Refresh(generation: generation, attempt: 1, startedAt: now)
    refresh = started
    return started
  }
}

extension Session {
  /// Takes in the end of an attempt.
  ///
  /// - Parameter jitter: 0..<1, from the random generator.
  package mutating func refreshEnded(
    _ ended: Refresh, _ outcome: Result<AccessGrant, SessionError>, now: Instant, wallSeconds: Int, jitter: Double
  ) -> Aftermath {
    guard ended.generation == generation, refresh?.generation == ended.generation else { return .ignored }
    switch outcome {
    case .success(let renewed):
      take(renewed, wallSeconds: wallSeconds, jitter: jitter)
      return .renewed(renewed)
    case .failure(let error):
      if let next = nextAttempt(after: ended, error, now: now) {
        refresh = next
        return .retry(next, after: RefreshPolicy.wait(beforeAttempt: next.attempt, jitter: jitter))
      }
      return giveUp(error, now: now)
    }
  }

  /// The daemon's timer for a waiting attempt went off; nil when the attempt is no longer wanted.
  package mutating func retryDue(_ waiting: Refresh) -> Refresh? {
    guard var current = refresh, current == waiting else { return nil }
    current.isWaiting = false
    refresh = current
    return current
  }

  /// Temporary failures are tried again, up to three times in all. A server that names a time gets no request before
  /// it. A token whose answer was lost is sent again only for a short while, and one whose answer broke off is not. A
  /// refresh that succeeded is not repeated when only its ID Token could not be verified: a repetition would spend
  /// another refresh token.
  private func nextAttempt(after ended: Refresh, _ error: SessionError, now: Instant) -> Refresh? {
    guard error.isWorthWaiting, error.retryAfterSeconds == nil, ended.attempt < RefreshPolicy.maximumAttempts else {
      return nil
    }
    if case .oauth(let oauth) = error, oauth.followsSuccess { return nil }
    if case .oauth(let oauth) = error, oauth.lostAnswer,
      ended.startedAt.duration(to: now) > RefreshPolicy.replayWindow || ended.attempt > 1
    {
      return nil
    }
    var next = ended
    next.attempt += 1
    next.isWaiting = true
    return next
  }

  private mutating func giveUp(_ error: SessionError, now: Instant) -> Aftermath {
    refresh = nil
    if error.isLocked {
      // A locked vault does not end the session, which continues once the vault is unlocked. Until then there is
      // nothing to try.
      grant = nil
      queue = nil
      hurriedTo = nil
      calmUntil = nil
      freshFrom = nil
      return .failed(error)
    }
    lastFailure = error
    failuresInARow += 1
    failedAt = now
    hurriedTo = nil
    retryNotBefore = error.retryAfterSeconds.map { now.advanced(by: .seconds($0)) }
    callersRestUntil = error.calmsCallers ? now.advanced(by: RefreshPolicy.pauseAfterFailure) : nil
    queue = policy == .offline && error.isWorthWaiting ? .patient : nil
    switch error.effect {
    case .ended(let ending):
      grant = nil
      freshFrom = nil
      standing = ending
    case .held:
      grant = nil
      // A session that is always kept fresh asks again by itself whether the hold is over.
      freshFrom = error.awaitsIdentity && policy == .background ? now : nil
    case .signInNeeded, .none: break
    }
    return .failed(error)
  }

  private mutating func take(_ renewed: AccessGrant, wallSeconds: Int, jitter: Double) {
    generation += 1
    refresh = nil
    grant = renewed
    standing = .granted
    usedSinceRefresh = false
    refreshedAt = wallSeconds
    renewalLead = RefreshPolicy.renewalLead(ofLifetime: renewed.lifetimeSeconds ?? 0) * (0.5 + 0.5 * jitter)
    told = .nothing
    // Only a token from a refresh replaced another one.
    isRenewable = renewed.replacedGeneration != nil
    forgetFailures()
  }

  private mutating func forgetFailures() {
    lastFailure = nil
    retryNotBefore = nil
    callersRestUntil = nil
    failuresInARow = 0
    failedAt = nil
    queue = nil
    hurriedTo = nil
    calmUntil = nil
    freshFrom = nil
  }
}

extension Session {
  /// A sign-in ended well.
  ///
  /// - Parameter isRenewable: Whether a new token can be got later without a person.
  package mutating func signedIn(
    _ grant: AccessGrant, isRenewable: Bool = true, wallSeconds: Int, jitter: Double
  ) {
    take(grant, wallSeconds: wallSeconds, jitter: jitter)
    self.isRenewable = isRenewable
    isSigningIn = false
  }

  package mutating func signInStarted() { isSigningIn = true }
  package mutating func signInEnded() { isSigningIn = false }

  /// The session is over here; answers still on their way are ignored.
  package mutating func signedOut() {
    generation += 1
    refresh = nil
    grant = nil
    standing = .signedOut
    refreshedAt = nil
    forgetFailures()
  }

  /// Drops the token in memory and the last failure, but not the grant: the next caller refreshes.
  package mutating func forgetToken() {
    generation += 1
    refresh = nil
    grant = nil
    standing = .unknown
    forgetFailures()
  }

  /// The server said that it no longer honours the session; answers still on their way are ignored.
  package mutating func endedElsewhere(account: String) {
    signedOut()
    standing = .expired
    lastFailure = .expired(account: account)
  }

  /// Queues a refresh that a caller waits for, until `error` no longer prevents it.
  package mutating func queueUrgently(because error: SessionError, now: Instant) {
    queue = .urgent
    lastFailure = lastFailure ?? error
    failedAt = failedAt ?? now
  }

  /// Marks the cached token as unused, for the decision about renewals.
  mutating func forgetUse() { usedSinceRefresh = false }

  /// Wipes the cached token and keeps all other state.
  mutating func dropToken() { grant = nil }

  /// Adjusts the expiry of the cached token, in unix seconds, after the machine's clock was set.
  package mutating func clockMoved(by seconds: Int) {
    grant = grant?.renamed(by: seconds)
  }

  /// The record of the cached token was written again, under another name or at another level of protection.
  package mutating func recordMoved(to generation: UInt64, protection: Protection? = nil) {
    grant = grant?.moved(to: generation, protection: protection)
  }

  /// Takes the state of an account that was not used yet from the vault.
  package mutating func learn(isGranted: Bool, isExpired: Bool, refreshedAt: Int?) {
    guard grant == nil, refresh == nil else { return }
    standing = isGranted ? .granted : isExpired ? .expired : .signedOut
    self.refreshedAt = self.refreshedAt ?? refreshedAt
  }
}

extension Session {
  /// The state's name, as `status` shows it.
  package func state(now: Instant) -> SessionState {
    if isSigningIn { return .signingIn }
    if refresh != nil { return .refreshing }
    switch standing {
    case .signedOut: return .signedOut
    case .expired: return .expired
    case .unknown, .granted: break
    }
    if lastFailure?.needsSignIn == true { return .expired }
    if isOffline { return .offline }
    guard let grant, grant.isAlive(at: now) else { return .stale }
    return satisfied(by: TokenNeed(), now: now) == nil ? .stale : .active
  }
}
