package import Platform

extension RefreshPolicy {
  private static let shortestFileInterval = Duration.seconds(10)

  /// When to replace a token in a file: 0.9 to 1 times ``renewalLead(ofLifetime:)`` before its expiry, by `jitter` in
  /// 0..<1.
  package static func fileRenewal(
    of expiry: Instant, lifetimeSeconds: Int, now: Instant, jitter: Double
  ) -> Instant {
    let lead = renewalLead(ofLifetime: lifetimeSeconds) * (0.9 + 0.1 * jitter)
    return max(expiry.advanced(by: .zero - lead), now.advanced(by: shortestFileInterval))
  }

  /// When to retry after a failure: in 30 to 60 seconds, scaled by `jitter` in 0..<1, or at `tokenEnd` if sooner.
  package static func fileRetry(tokenEnd: Instant?, now: Instant, jitter: Double) -> Instant {
    let due = now.advanced(by: .seconds(60) * (0.5 + 0.5 * jitter))
    guard let tokenEnd, now < tokenEnd else { return due }
    return min(due, max(tokenEnd, now.advanced(by: shortestFileInterval)))
  }
}
