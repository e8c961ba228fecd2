package import OAuth
package import Platform

/// The origins that reject an account's tokens, to avoid useless refreshes. Forgotten after five minutes, or when the
/// token is renewed for another reason.
package struct OriginRefusals: Sendable {
  private struct Refusal {
    /// The rejected token's generation.
    var generation: UInt64
    /// Whether the origin also rejected a renewed token.
    var isPermanent: Bool
    var until: Instant
  }

  private static let lifetime = Duration.seconds(300)
  private static let maximumOrigins = 64

  private var refusals: [ResourceOrigin: Refusal] = [:]
  /// Whether a rejection causes the next renewal.
  private var awaitsRenewal = false

  package init() {}

  /// Records a 401 response to the token of this generation, which increases with each renewal.
  package mutating func recordRefusal(by origin: ResourceOrigin, generation: UInt64, now: Instant) {
    refusals = refusals.filter { now < $0.value.until }
    let before = refusals[origin]
    if let before, before.generation > generation { return }
    let isPermanent = before.map { $0.isPermanent || $0.generation < generation } ?? false
    refusals[origin] = Refusal(generation: generation, isPermanent: isPermanent, until: now.advanced(by: Self.lifetime))
    if !isPermanent { awaitsRenewal = true }
    guard refusals.count > Self.maximumOrigins, let oldest = refusals.min(by: { $0.value.until < $1.value.until })?.key
    else {
      return
    }
    refusals[oldest] = nil
  }

  package mutating func recordAcceptance(by origin: ResourceOrigin) {
    if !refusals.isEmpty { refusals[origin] = nil }
  }

  /// Whether an origin also rejected a renewed token.
  package func arePermanent(at origin: ResourceOrigin, now: Instant) -> Bool {
    guard let refusal = refusals[origin], now < refusal.until else { return false }
    return refusal.isPermanent
  }

  /// Forgets all rejections, unless one of them caused the renewal.
  package mutating func recordRenewal() {
    if !awaitsRenewal { refusals = [:] }
    awaitsRenewal = false
  }
}
