package import Platform

// The results that a session reports to the daemon.

extension Session {
  /// A refresh in flight.
  package struct Refresh: Sendable, Hashable {
    package let generation: UInt64
    /// 1 for the first.
    package var attempt: Int
    package let startedAt: Instant
    /// Between two attempts, until the daemon's timer starts the next.
    package var isWaiting = false
  }

  /// The answer to a caller.
  package enum Decision: Sendable {
    case serve(AccessGrant)
    /// Wait for the refresh in flight; when `start` is set, the daemon starts it now.
    case wait(start: Refresh?)
    case fail(SessionError)
  }

  /// The result of a finished attempt for those who wait.
  package enum RefreshResult: Sendable {
    /// The answer is of an older generation.
    case ignored
    case renewed(AccessGrant)
    case retry(Refresh, after: Duration)
    /// After a temporary failure, callers that ``fallback(for:now:)`` has a token for get it; the others fail.
    case failed(SessionError)
  }
}
