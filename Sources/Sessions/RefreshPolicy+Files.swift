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
}
