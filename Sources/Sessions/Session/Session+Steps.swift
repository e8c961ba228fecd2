package import Platform

// What a session says to the daemon, and what it remembers of itself.

extension Session {
  /// How soon a queued refresh is tried again.
  enum Queue: Sendable {
    /// Nobody waits for it.
    case patient
    case urgent
  }

  enum Told: Sendable { case nothing, nearEnd, end }

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

  /// What a finished attempt means for those who wait.
  package enum Aftermath: Sendable {
    /// The answer is of an older generation.
    case ignored
    case renewed(AccessGrant)
    case retry(Refresh, after: Duration)
    /// Those whom ``fallback(for:now:)`` has a token for get it after a passing failure; the others fail.
    case failed(SessionError)
  }
}

/// The names of a session's states.
package enum SessionState: String, Sendable, CaseIterable {
  case signedOut = "signed_out"
  case signingIn = "signing_in"
  case active, stale, refreshing, expired, locked, offline
}
