extension RefreshPolicy {
  /// For one request, after temporary failures.
  package static let maximumAttempts = 3

  /// The waits between attempts, before jitter.
  private static let backoff: [Duration] = [.milliseconds(500), .seconds(2)]

  /// The remaining lifetime required by default: a minute, at most a tenth of the lifetime.
  package static func usualValidity(ofLifetime seconds: Int?) -> Duration {
    guard let seconds else { return .zero }
    return min(.seconds(60), .milliseconds(seconds * 100))
  }

  /// How long before its expiry a used token is renewed in the background: five minutes, at most half its lifetime.
  package static func renewalLead(ofLifetime seconds: Int) -> Duration {
    min(.seconds(300), .milliseconds(seconds * 500))
  }

  /// The minimum for background renewal.
  package static let shortestRenewedLifetimeSeconds = 60

  /// The wait before attempt number `attempt` (2 or more): half to all of the backoff, scaled by `jitter` in 0..<1.
  package static func wait(beforeAttempt attempt: Int, jitter: Double) -> Duration {
    let step = backoff[min(max(attempt - 2, 0), backoff.count - 1)]
    return step * (0.5 + 0.5 * jitter)
  }

  /// How long callers get the cached token without another attempt after a temporary failure.
  package static let pauseAfterFailure = Duration.seconds(10)

  /// Non-OAuth refusals for this long make the session require a sign-in.
  static let longestRefusal = Duration.seconds(3600)

  /// The wait before retrying a background renewal: a minute, doubling up to an hour.
  package static func wait(afterFailures count: Int) -> Duration {
    .seconds(min(3600, 60 << min(max(count - 1, 0), 6)))
  }

  /// The wait before retrying a queued refresh after `count` failures: 10 seconds, doubling up to 5 minutes. While a
  /// caller waits (`isUrgent`), at most 30 seconds, and starting at 1 second unless the server was reached.
  static func wait(queuedAfter count: Int, isUrgent: Bool, reached: Bool) -> Duration {
    .seconds(min(isUrgent ? 30 : 300, (isUrgent && !reached ? 1 : 10) << min(max(count - 1, 0), 6)))
  }

  /// The `strict` policy's limit for caching a token.
  static let longestStrictCache = Duration.seconds(300)

  /// The interval between the first background refreshes after the daemon's start.
  package static let startInterval = Duration.milliseconds(100)

  /// The period over which renewals that waited for a server are spread.
  package static let spreadAfterPause = Duration.seconds(30)

  /// Concurrent background renewals.
  package static let maximumRenewalsPerServer = 8
  /// Concurrent background renewals.
  package static let maximumRenewals = 32

  /// How long a refresh token may be sent again after a lost response.
  package static let replayWindow = Duration.seconds(30)
}
