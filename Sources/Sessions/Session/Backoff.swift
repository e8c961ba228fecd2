internal import OAuth
internal import Platform

/// Decides when to refresh after a failure.
struct Backoff: Sendable {
  /// A failed refresh or ended session, with the waits that follow.
  struct Failure: Sendable {
    let error: SessionError
    /// Nil if no refresh failed.
    var failedAt: Instant?
    /// Failed refreshes since the latest success or network change.
    var count = 0
    /// The server requested no earlier refresh (RFC 9110, section 10.2.3).
    var serverNotBefore: Instant?
    /// Until then, callers get this failure unless they require a new token.
    var callersNotBefore: Instant?
    /// The retry after a network change.
    var retryNotBefore: Instant?
    var refusal: Refusal?

    /// A non-OAuth refusal that the server repeats.
    struct Refusal: Sendable {
      let error: OAuthError
      let since: Instant
    }
  }

  enum Priority: Sendable {
    case background
    /// A caller waits for the refresh.
    case urgent
  }

  private(set) var failure: Failure?
  /// The earliest refresh without a caller, if limited.
  var notBefore: Instant?

  /// Returns the error, changed to require a sign-in after an hour of the same non-OAuth refusal.
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

  mutating func sessionEnded(_ error: SessionError) { failure = Failure(error: error) }

  /// Records an error that prevents a caller's refresh, unless a failure is known.
  mutating func refreshPrevented(_ error: SessionError, now: Instant) {
    var known = failure ?? Failure(error: error)
    known.failedAt = known.failedAt ?? now
    failure = known
  }

  /// Cancels the scheduled retries but keeps the failure.
  mutating func dropRetries() {
    notBefore = nil
    failure?.retryNotBefore = nil
  }

  /// Returns false if a retry is pointless.
  mutating func scheduleRetry(at moment: Instant) -> Bool {
    guard let error = failure?.error, error.isSafeToRetry, !error.reachedServer else { return false }
    notBefore = nil
    failure?.count = 0
    failure?.retryNotBefore = moment
    return true
  }

  /// The error if a caller must not refresh now. With `requiresNewToken`, a valid cached token is not enough.
  func refusal(requiresNewToken: Bool, now: Instant) -> SessionError? {
    guard let failure else { return nil }
    if let end = failure.callersNotBefore, now < end, !requiresNewToken {
      return failure.error.needsSignIn ? failure.error : failure.error.asking(toWait: now.duration(to: end))
    }
    guard let end = failure.serverNotBefore, now < end else { return nil }
    return failure.error.asking(toWait: now.duration(to: end))
  }

  /// Whether to return the cached token: another attempt would be pointless or harmful.
  func prefersCachedToken(_ policy: RefreshPolicy, now: Instant) -> Bool {
    guard let failure else { return false }
    if failure.error.mayHaveReplacedToken { return true }
    guard failure.error.isTemporary, let failedAt = failure.failedAt else { return false }
    if policy == .offline { return true }
    return now < failedAt.advanced(by: RefreshPolicy.pauseAfterFailure)
      || failure.serverNotBefore.map { now < $0 } ?? false
  }

  /// The next refresh without a caller. Nil if not planned or a sign-in is needed.
  func renewalDue(planned: Instant?, queued priority: Backoff.Priority?, tokenEnd: Instant?) -> Instant? {
    guard let failure else { return planned.map { max($0, notBefore ?? $0) } }
    guard !failure.error.needsSignIn, let due = queuedRetry(priority) ?? delayed(planned) else { return nil }
    // A refresh token that may be spent is not resent while the access token is valid.
    let doubtEnd = failure.error.mayHaveReplacedToken ? tokenEnd : nil
    return [failure.serverNotBefore, notBefore, doubtEnd].reduce(due) { due, earliest in max(due, earliest ?? due) }
  }

  private func queuedRetry(_ priority: Priority?) -> Instant? {
    guard let priority, let failure, let failedAt = failure.failedAt else { return nil }
    return failure.retryNotBefore
      ?? failedAt.advanced(
        by: RefreshPolicy.wait(
          queuedAfter: failure.count, isUrgent: priority == .urgent,
          reached: failure.error.reachedServer && failure.serverNotBefore == nil))
  }

  private func delayed(_ planned: Instant?) -> Instant? {
    guard let planned, let failure, let failedAt = failure.failedAt else { return planned }
    return max(
      planned, failure.retryNotBefore ?? failedAt.advanced(by: RefreshPolicy.wait(afterFailures: failure.count)))
  }
}
