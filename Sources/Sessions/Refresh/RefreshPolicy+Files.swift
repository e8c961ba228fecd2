package import Platform
internal import Vocabulary

/// Renewal times of tokens in files, which are replaced without a request.
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

  /// When a token for a file is requested again after a failure: in 30 to 60 seconds, by `jitter` in 0..<1, or when the
  /// current token expires, if that is sooner.
  package static func fileRetry(tokenEnd: Instant?, now: Instant, jitter: Double) -> Instant {
    let due = now.advanced(by: .seconds(60) * (0.5 + 0.5 * jitter))
    guard let tokenEnd, now < tokenEnd else { return due }
    return min(due, max(tokenEnd, now.advanced(by: shortestFileInterval)))
  }
}
