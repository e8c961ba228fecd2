package import Platform

// The results that a session reports to the daemon.

extension Session {
  /// A refresh in progress.
  package struct Refresh: Sendable, Hashable {
    package let generation: UInt64
    /// Starts at 1.
    package var attempt: Int
    package let startedAt: Instant
    /// Whether it waits for the next attempt, which the daemon's timer starts.
    package var isWaiting = false
  }

  /// The response to a caller.
  package enum Decision: Sendable {
    case serve(AccessGrant)
    /// Wait for the refresh in progress. If `start` is set, the daemon starts it now.
    case wait(start: Refresh?)
    case fail(SessionError)
  }

  /// The result of a finished attempt, for its waiters.
  package enum RefreshResult: Sendable {
    /// The result belongs to an older generation.
    case ignored
    case renewed(AccessGrant)
    case retry(Refresh, after: Duration)
    /// After a temporary failure, callers get the token of ``fallback(for:now:)`` if there is one; the others fail.
    case failed(SessionError)
  }
}
