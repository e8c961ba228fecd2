internal import Platform
package import Vocabulary

/// When an access token is renewed, and how often a failed attempt is repeated.
extension RefreshPolicy {
  /// Attempts for one request that meets passing failures.
  package static let maximumAttempts = 3

  /// Waits between attempts, before jitter.
  private static let backoff: [Duration] = [.milliseconds(500), .seconds(2)]

  /// A token with less than this left is renewed before it is handed out: a minute, but never more
  /// than a tenth of its lifetime, so that a short-lived token is not renewed at each call.
  package static func usualValidity(ofLifetime seconds: Int?) -> Duration {
    guard let seconds else { return .zero }
    return min(.seconds(60), .milliseconds(seconds * 100))
  }

  /// How long before its expiry a token that is in use is renewed in the background: five minutes, at
  /// most half of its lifetime.
  package static func renewalLead(ofLifetime seconds: Int) -> Duration {
    min(.seconds(300), .milliseconds(seconds * 500))
  }

  /// Tokens that live for less are not renewed in the background.
  package static let shortestRenewedLifetimeSeconds = 60

  /// The wait before attempt number `attempt` (2 or more): half to all of the step, by `jitter` in 0..<1.
  package static func wait(beforeAttempt attempt: Int, jitter: Double) -> Duration {
    let step = backoff[min(max(attempt - 2, 0), backoff.count - 1)]
    return step * (0.5 + 0.5 * jitter)
  }

  /// After a temporary failure, a caller that accepts the cached token gets it for this long without another attempt,
  /// so that being offline costs each call no time.
  package static let pauseAfterFailure = Duration.seconds(10)

  /// After so much time of the same refusal outside the protocol the session wants a sign-in.
  static let longestRefusal = Duration.seconds(3600)

  /// The wait before a background renewal is tried again after it failed, doubling from a minute to an hour.
  package static func wait(afterFailures count: Int) -> Duration {
    .seconds(min(3600, 60 << min(max(count - 1, 0), 6)))
  }

  /// The wait before a queued refresh is tried again, doubling: up to 30 seconds while a caller waits, else up to 5
  /// minutes. A server that was reached is not asked again within 10 seconds.
  static func wait(queuedAfter count: Int, isUrgent: Bool, reached: Bool) -> Duration {
    .seconds(min(isUrgent ? 30 : 300, (isUrgent && !reached ? 1 : 10) << min(max(count - 1, 0), 6)))
  }

  /// How long a token stays in memory at most under ``strict``.
  static let longestStrictCache = Duration.seconds(300)

  /// How far apart the first refreshes of sessions that are always fresh are, when there are many of them.
  package static let startInterval = Duration.milliseconds(100)

  /// Over how much time renewals are spread that all waited for the same server.
  package static let spreadAfterHold = Duration.seconds(30)

  /// The limits of concurrent renewals that no caller waits for: for one server, and in all.
  package static let mostRenewalsPerServer = 8
  package static let mostRenewals = 32

  /// A lost answer may hide a rotation, so the same refresh token is sent again only for this long.
  package static let replayWindow = Duration.seconds(30)
}
