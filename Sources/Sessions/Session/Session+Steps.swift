package import Platform

// The results that a session reports to the daemon.

extension Session {
  package struct Refresh: Sendable, Hashable {
    package let generation: UInt64
    /// Starts at 1.
    package var attempt: Int
    package let startedAt: Instant
    /// Whether the next attempt waits for the daemon's timer.
    package var isWaiting = false
  }

  /// The response to a caller.
  package enum Decision: Sendable {
    case serve(AccessGrant)
    /// Wait for the refresh. If `start` is set, start it now.
    case wait(start: Refresh?)
    case fail(SessionError)
  }

  /// The result of a finished attempt, for its waiters.
  package enum RefreshResult: Sendable {
    /// The result belongs to an older generation.
    case ignored
    case renewed(AccessGrant)
    case retry(Refresh, after: Duration)
    /// After a temporary failure, callers get the token of ``fallback(for:now:)`` if there is one. Others fail.
    case failed(SessionError)
  }
}
