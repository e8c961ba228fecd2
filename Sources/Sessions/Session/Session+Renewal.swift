package import Platform
internal import Vocabulary

/// Actions of a session without a caller: renewals, and notices of a token that expires.
extension Session {
  /// When there is next something to do; nil when nothing will be.
  package var attentionDue: Instant? {
    guard let renewal = renewalDue else { return endDue }
    return endDue.map { min($0, renewal) } ?? renewal
  }

  /// When the token is to be renewed in the background; nil when it is not, and until a sign-in where one is needed.
  package var renewalDue: Instant? {
    guard refresh == nil, lastFailure?.needsSignIn != true, let planned = queuedRenewal ?? plannedRenewal else {
      return nil
    }
    // A refresh token in doubt is not sent again while there is a valid access token.
    let doubtEnd = lastFailure?.leavesDoubt == true ? grant?.expiresAt : nil
    return [retryNotBefore, calmUntil, doubtEnd].reduce(planned) { due, earliest in
      earliest.map { max(due, $0) } ?? due
    }
  }

  /// A refresh that could not be made is tried again, whether there is still a token or not.
  private var queuedRenewal: Instant? {
    guard let queue, let failedAt, let lastFailure else { return nil }
    if let hurriedTo { return hurriedTo }
    return failedAt.advanced(
      by: RefreshPolicy.wait(
        queuedAfter: failuresInARow, isUrgent: queue == .urgent, reached: lastFailure.reachedServer))
  }

  private var plannedRenewal: Instant? {
    guard let due = dueByPolicy else { return nil }
    guard let failedAt else { return due }
    return max(due, hurriedTo ?? failedAt.advanced(by: RefreshPolicy.wait(afterFailures: failuresInARow)))
  }

  private var dueByPolicy: Instant? {
    switch policy {
    case .onDemand, .strict: nil
    case .proactive, .offline: usedSinceRefresh ? beforeEnd : nil
    case .background: beforeEnd ?? freshFrom
    }
  }

  /// The time at which the cached token is due for renewal.
  private var beforeEnd: Instant? {
    guard let grant, let lifetime = grant.lifetimeSeconds, lifetime >= RefreshPolicy.shortestRenewedLifetimeSeconds
    else { return nil }
    return grant.expiresAt?.advanced(by: .zero - renewalLead)
  }

  /// Starts the background renewal; nil when it is not due.
  package mutating func renew(now: Instant) -> Refresh? {
    guard isRenewalDue(now: now) else { return nil }
    return beginRefresh(now: now)
  }

  /// Whether ``renew(now:)`` would start a renewal. A token that expired unused is not renewed, unless the policy
  /// requires a valid token at any time.
  package func isRenewalDue(now: Instant) -> Bool {
    guard let due = renewalDue, due <= now else { return false }
    return queue != nil || policy == .background || grant?.isAlive(at: now) == true
  }

  /// Clears the use of a token that expired before it could be renewed, so that no renewal is due.
  package mutating func leaveDead(now: Instant) {
    if let due = renewalDue, due <= now, !isRenewalDue(now: now) { forgetUse() }
  }

  /// Has a session that is always to be fresh get its first token at this time.
  package mutating func keepFresh(from moment: Instant) {
    guard policy == .background, grant == nil, refresh == nil, failedAt == nil else { return }
    if standing == .unknown || standing == .granted { freshFrom = freshFrom ?? moment }
  }

  /// No renewal before this time.
  package mutating func stayCalm(until moment: Instant) { calmUntil = moment }
}

// MARK: - Refreshes that wait for the network

extension Session {
  /// Whether a refresh waits for the network or the server.
  package var isQueued: Bool { queue != nil && refresh == nil }

  /// Lowers the priority of the queued refresh: no caller waits any more.
  package mutating func queueCalmly() {
    queue = policy == .offline && queue != nil ? .patient : nil
  }

  /// Schedules a retry of a refresh that failed without reaching the server, after the network changed.
  ///
  /// - Returns: Whether there is anything to try.
  package mutating func networkChanged(retryAt moment: Instant) -> Bool {
    guard refresh == nil, let lastFailure, lastFailure.isWorthWaiting, !lastFailure.reachedServer, renewalDue != nil
    else { return false }
    calmUntil = nil
    failuresInARow = 0
    hurriedTo = moment
    return true
  }
}

// MARK: - The end of a token

extension Session {
  /// A notice about the cached token.
  package enum Notice: Sendable, Hashable {
    /// The token will not be given out any more in this many seconds, and was not renewed.
    case nearEnd(seconds: Int)
    case end
  }

  /// Until when the token may be served from memory, where the policy says so.
  var cacheEnd: Instant? {
    guard policy == .strict, let grant else { return nil }
    let limit = grant.issuedAt.advanced(by: RefreshPolicy.longestStrictCache)
    guard let expiresAt = grant.expiresAt else { return limit }
    return min(
      limit, expiresAt.advanced(by: .zero - RefreshPolicy.usualValidity(ofLifetime: grant.lifetimeSeconds)))
  }

  /// When the next notice about the cached token, or its removal, is due.
  var endDue: Instant? {
    if let cacheEnd { return cacheEnd }
    guard let grant, let expiresAt = grant.expiresAt else { return nil }
    switch told {
    case .nothing: return nearEnd ?? expiresAt
    case .nearEnd: return expiresAt
    case .end: return nil
    }
  }

  /// When a token that was not renewed in time is near its end; nil for one of unknown lifetime. The notice comes
  /// earlier when a person must act than when the renewal should have happened by itself.
  private var nearEnd: Instant? {
    guard let grant, let lifetime = grant.lifetimeSeconds else { return nil }
    let lead =
      isRenewable ? RefreshPolicy.usualValidity(ofLifetime: lifetime) : RefreshPolicy.renewalLead(ofLifetime: lifetime)
    return grant.expiresAt?.advanced(by: .zero - lead)
  }

  /// Wipes the token or records a notice, if due, and returns the notice.
  package mutating func meetEnd(now: Instant) -> Notice? {
    guard let grant, let due = endDue, due <= now else { return nil }
    if cacheEnd != nil {
      dropToken()
      return nil
    }
    if !grant.isAlive(at: now) {
      told = .end
      return .end
    }
    told = .nearEnd
    return .nearEnd(seconds: Int(grant.remaining(at: now)?.components.seconds ?? 0))
  }
}
