package import Platform

extension Session {
  /// A refresh, with up to three attempts.
  package struct Refresh: Sendable, Hashable {
    package let generation: UInt64
    /// Counted from 1.
    package var attempt: Int
    package let startedAt: Instant
    /// Whether the attempt waits for the daemon's timer.
    package var isWaiting = false
  }

  /// The response to a caller's request.
  package enum Decision: Sendable {
    case serve(AccessGrant)
    /// Wait for the refresh, and start the given one now, if any.
    case wait(start: Refresh?)
    case fail(SessionError)
  }

  /// The result of a refresh attempt.
  package enum RefreshResult: Sendable {
    /// The attempt is from an earlier generation.
    case ignored
    case renewed(AccessGrant)
    /// The attempt failed. Start this next one after the time.
    case retry(Refresh, after: Duration)
    /// The refresh failed. After a temporary error, callers get ``Session/fallback(for:now:)``, if any.
    case failed(SessionError)
  }
}
