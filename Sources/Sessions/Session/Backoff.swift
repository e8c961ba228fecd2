internal import OAuth
internal import Platform
internal import Vocabulary

/// The times at which refreshes may be made after one has failed. A success ends all of it.
struct Backoff: Sendable {
  /// The last failure, with the waits that follow from it.
  struct Failure: Sendable {
    let error: SessionError
    /// Nil for a failure that was not the end of a refresh.
    var failedAt: Instant?
    /// Failed refreshes in a row since the last success or change of the network.
    var count = 0
    /// The server asked not to be called before (RFC 9110, section 10.2.3).
    var serverNotBefore: Instant?
    /// Callers who do not insist get this failure until then.
    var callersNotBefore: Instant?
    /// The earliest retry after a change of the network, in place of the wait after this failure.
    var retryNotBefore: Instant?
    /// The refusal outside the protocol that the server, or somebody between, has answered with without interruption.
    var refusal: Refusal?

    struct Refusal: Sendable {
      let error: OAuthError
      let since: Instant
    }
  }

  /// How soon a queued refresh is retried.
  enum Priority: Sendable {
    /// No caller waits for it.
    case patient
    case urgent
  }

  /// Why the last refresh failed; nil after a success.
  private(set) var failure: Failure?
  /// Before this time only a caller starts a refresh.
  var notBefore: Instant?

  /// Records the failure of a refresh after all its attempts.
  ///
  /// - Returns: The failure, which asks for a sign-in once the same refusal outside the protocol has come for an hour.
  @discardableResult mutating func refreshFailed(_ error: SessionError, now: Instant) -> SessionError {
    let refusal = refusal(after: error, now: now)
    let isLasting = refusal.map { $0.since.duration(to: now) >= RefreshPolicy.longestRefusal } ?? false
    let error = isLasting && error.refusalOutsideProtocol != nil ? error.needingSignIn : error
    failure = Failure(
      error: error, failedAt: now, count: (failure?.count ?? 0) + 1,
      serverNotBefore: error.retryAfterSeconds.map { now.advanced(by: .seconds($0)) },
      callersNotBefore: error.delaysCallers ? now.advanced(by: RefreshPolicy.pauseAfterFailure) : nil, refusal: refusal)
    return error
  }

  private func refusal(after error: SessionError, now: Instant) -> Failure.Refusal? {
    let known = failure?.refusal
    guard let new = error.refusalOutsideProtocol else { return error.reachedServer ? nil : known }
    return known.flatMap { $0.error.isSameRefusal(as: new) ? $0 : nil } ?? Failure.Refusal(error: new, since: now)
  }

  /// Records the end of the session by other means than a refresh.
  mutating func sessionEnded(_ error: SessionError) { failure = Failure(error: error) }

  /// Records why a refresh that a caller waits for cannot start now, unless an earlier failure is known.
  mutating func refreshPrevented(_ error: SessionError, now: Instant) {
    var known = failure ?? Failure(error: error)
    known.failedAt = known.failedAt ?? now
    failure = known
  }

  /// Drops the planned retries, but not the failure.
  mutating func dropRetries() {
    notBefore = nil
    failure?.retryNotBefore = nil
  }

  /// Plans a retry after a change of the network, if the last refresh did not reach the server.
  ///
  /// - Returns: Whether such a retry can help.
  mutating func networkChanged(retryAt moment: Instant) -> Bool {
    guard let error = failure?.error, error.isWorthWaiting, !error.reachedServer else { return false }
    notBefore = nil
    failure?.count = 0
    failure?.retryNotBefore = moment
    return true
  }

  /// The failure for a caller who must not cause another refresh now; nil if a refresh may start.
  ///
  /// - Parameter insists: Whether the caller wants a new token even if the cached one is valid.
  func refusal(insists: Bool, now: Instant) -> SessionError? {
    guard let failure else { return nil }
    if let end = failure.callersNotBefore, now < end, !insists {
      return failure.error.needsSignIn ? failure.error : failure.error.asking(toWait: now.duration(to: end))
    }
    guard let end = failure.serverNotBefore, now < end else { return nil }
    return failure.error.asking(toWait: now.duration(to: end))
  }

  /// Whether another attempt is pointless, or harmful, for a caller who accepts the cached token.
  func prefersCachedToken(_ policy: RefreshPolicy, now: Instant) -> Bool {
    guard let failure else { return false }
    if failure.error.leavesDoubt { return true }
    guard failure.error.isPassing, let failedAt = failure.failedAt else { return false }
    if policy == .offline { return true }
    return now < failedAt.advanced(by: RefreshPolicy.pauseAfterFailure)
      || failure.serverNotBefore.map { now < $0 } ?? false
  }

  /// When a refresh without a caller is made; nil if none is, or if a sign-in is needed first.
  ///
  /// - Parameters:
  ///   - planned: When the policy renews the token; nil if it does not.
  ///   - priority: Of the queued refresh; nil if none is queued.
  ///   - tokenEnd: The expiry of the cached token; nil if it is unknown or there is no token.
  func renewalDue(planned: Instant?, queued priority: Backoff.Priority?, tokenEnd: Instant?) -> Instant? {
    guard let failure else { return planned.map { max($0, notBefore ?? $0) } }
    guard !failure.error.needsSignIn, let due = queuedRetry(priority) ?? delayed(planned) else { return nil }
    // A refresh token in doubt is not sent again while there is a valid access token.
    let doubtEnd = failure.error.leavesDoubt ? tokenEnd : nil
    return [failure.serverNotBefore, notBefore, doubtEnd].reduce(due) { due, earliest in max(due, earliest ?? due) }
  }

  /// When the queued refresh is retried, whether there is still a token or not.
  private func queuedRetry(_ priority: Priority?) -> Instant? {
    guard let priority, let failure, let failedAt = failure.failedAt else { return nil }
    return failure.retryNotBefore
      ?? failedAt.advanced(
        by: RefreshPolicy.wait(
          queuedAfter: failure.count, isUrgent: priority == .urgent, reached: failure.error.reachedServer))
  }

  private func delayed(_ planned: Instant?) -> Instant? {
    guard let planned, let failure, let failedAt = failure.failedAt else { return planned }
    return max(
      planned, failure.retryNotBefore ?? failedAt.advanced(by: RefreshPolicy.wait(afterFailures: failure.count)))
  }
}
