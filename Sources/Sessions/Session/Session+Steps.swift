package import Platform

extension Session {
  /// One run of a refresh, with up to three attempts.
  package struct Refresh: Sendable, Hashable {
    package let generation: UInt64
    /// Counted from 1.
    package var attempt: Int
    package let startedAt: Instant
    /// Whether the next attempt waits for a timer of the daemon.
    package var isWaiting = false
  }

  /// The response to a caller's request.
  package enum Decision: Sendable {
    case serve(AccessGrant)
    /// Wait for the refresh, and start the given one now, if any.
    case wait(start: Refresh?)
    case fail(SessionError)
  }

  /// The result of an attempt, as reported to its waiters.
  package enum RefreshResult: Sendable {
    /// The attempt belongs to an earlier generation of the session.
    case ignored
    case renewed(AccessGrant)
    /// The attempt failed. Start the next one after this time.
    case retry(Refresh, after: Duration)
    /// The refresh failed. After a temporary error, callers get the token of ``Session/fallback(for:now:)``, if any.
    case failed(SessionError)
  }
}
