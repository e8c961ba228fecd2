package import Platform

// The results that a session returns to the daemon.

extension Session {
  /// One run of a refresh, with up to three attempts.
  package struct Refresh: Sendable, Hashable {
    package let generation: UInt64
    /// The number of the attempt, from 1.
    package var attempt: Int
    package let startedAt: Instant
    /// Whether the next attempt waits for a timer of the daemon.
    package var isWaiting = false
  }

  /// The response to a caller's request.
  package enum Decision: Sendable {
    case serve(AccessGrant)
    /// Wait for the refresh. If `start` is set, start that refresh now.
    case wait(start: Refresh?)
    case fail(SessionError)
  }

  /// The result of a finished attempt, as reported to its waiters.
  package enum RefreshResult: Sendable {
    /// The attempt belongs to an earlier generation of the session.
    case ignored
    case renewed(AccessGrant)
    case retry(Refresh, after: Duration)
    /// Callers get the token of ``Session/fallback(for:now:)`` if the failure was temporary and there is one. Others
    /// fail.
    case failed(SessionError)
  }
}
