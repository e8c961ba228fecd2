package import Platform

/// Tokens in files, which are replaced though nobody asks.
extension RefreshPolicy {
  /// The shortest time between two tokens for a file, however short the server lets them live.
  private static let shortestFileInterval = Duration.seconds(10)

  /// When the token that a file has just got is replaced: as long before its end as a token in use is renewed in
  /// the background, or up to a tenth of that later, by `jitter` in 0..<1.
  package static func fileRenewal(
    of expiry: Instant, lifetimeSeconds: Int, now: Instant, jitter: Double
  ) -> Instant {
    let lead = renewalLead(ofLifetime: lifetimeSeconds) * (0.9 + 0.1 * jitter)
    return max(expiry.advanced(by: .zero - lead), now.advanced(by: shortestFileInterval))
  }

  /// When a token for a file is tried for again after it could not be got: in half a minute to a minute, by
  /// `jitter` in 0..<1, or when the token at hand ends, if that is sooner.
  package static func fileRetry(tokenEnd: Instant?, now: Instant, jitter: Double) -> Instant {
    let due = now.advanced(by: .seconds(60) * (0.5 + 0.5 * jitter))
    guard let tokenEnd, now < tokenEnd else { return due }
    return min(due, max(tokenEnd, now.advanced(by: shortestFileInterval)))
  }
}
