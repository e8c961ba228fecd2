package import Platform

extension Session {
  /// When to renew the token, publish a notice about it or remove it, whichever is first.
  package var actionDue: Instant? {
    guard let renewalDue else { return expiryDue }
    return expiryDue.map { min($0, renewalDue) } ?? renewalDue
  }

  /// Nil if no background renewal is planned or a sign-in is needed.
  package var renewalDue: Instant? {
    let priority: Backoff.Priority?
    switch activity {
    case .refreshing: return nil
    case .queued(let queued): priority = queued
    case .idle: priority = nil
    }
    return backoff.renewalDue(planned: plannedRenewal, queued: priority, tokenEnd: grant?.expiresAt)
  }

  private var plannedRenewal: Instant? {
    guard isRenewable else { return nil }
    return switch (policy, state) {
    case (.onDemand, _), (.strict, _): nil
    case (.proactive, .granted(let token)), (.offline, .granted(let token)): token.isUsed ? token.renewalDue : nil
    case (.proactive, .tokenless), (.offline, .tokenless): nil
    case (.background, .granted(let token)): [token.renewalDue, token.grant.idleRenewalDue].compactMap { $0 }.min()
    case (.background, .tokenless(_, let renewFrom)): renewFrom
    }
  }

  package mutating func startRenewalIfDue(now: Instant) -> Refresh? {
    guard isRenewalDue(now: now) else { return nil }
    return beginRefresh(now: now)
  }

  /// A token that expired unused is renewed only if the policy always requires a valid one.
  package func isRenewalDue(now: Instant) -> Bool {
    guard let renewalDue, renewalDue <= now else { return false }
    return isQueued || policy == .background || grant?.isAlive(at: now) == true
  }

  /// Abandons the renewal of a token that expired first.
  package mutating func dropMissedRenewal(now: Instant) {
    if let renewalDue, renewalDue <= now, !isRenewalDue(now: now) { updateToken { $0.isUsed = false } }
  }

  /// Schedules the first token request under the background policy, unless a refresh failed.
  package mutating func planFirstToken(at moment: Instant) {
    guard policy == .background, case .tokenless(nil, renewFrom: nil) = state, refresh == nil,
      backoff.failure?.failedAt == nil
    else { return }
    state = .tokenless(nil, renewFrom: moment)
  }

  /// Postpones refreshes without a caller.
  package mutating func postponeRenewal(until moment: Instant) { backoff.notBefore = moment }

  // MARK: - Refreshes that wait for the network

  /// Whether a refresh waits for the network or the server.
  package var isQueued: Bool { if case .queued = activity { true } else { false } }

  /// Queues a caller's refresh, which `error` prevents for now.
  package mutating func queueForCaller(because error: SessionError, now: Instant) {
    if refresh == nil { activity = .queued(.urgent) }
    backoff.refreshPrevented(error, now: now)
  }

  /// Lowers the priority of the queued refresh or cancels it: no caller waits.
  package mutating func dropCallerPriority() {
    if isQueued { activity = policy == .offline ? .queued(.background) : .idle }
  }

  /// Schedules a retry after a network change. Returns false if none is needed.
  package mutating func scheduleRetry(at moment: Instant) -> Bool {
    renewalDue != nil && backoff.scheduleRetry(at: moment)
  }

  // MARK: - The end of a token

  /// When to publish a notice about the cached token, or remove it.
  private var expiryDue: Instant? {
    token.flatMap { $0.removalDue(policy) ?? $0.notices.nextNotice(before: $0.grant.expiresAt) ?? $0.wipeDue }
  }

  /// Removes the cached token, or returns the due notice, if any. After the final notice, wipes the token but keeps its
  /// properties.
  package mutating func applyExpiry(now: Instant) -> ExpiryNotice? {
    guard let token else { return nil }
    if let removalDue = token.removalDue(policy) {
      if removalDue <= now { dropToken() }
      return nil
    }
    var notice: ExpiryNotice?
    updateToken {
      notice = $0.notices.takeNext($0.grant.expiresAt, now: now)
      if let due = $0.wipeDue, due <= now { $0.grant = $0.grant.withoutAccessToken() }
    }
    return notice
  }
}
