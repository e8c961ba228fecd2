package import OAuth
package import Platform

/// The origins that rejected an account's tokens. Prevents refreshes for an origin that rejects new tokens too.
///
/// An origin that rejected a new token is remembered for five minutes, or until the token is renewed for another
/// reason.
package struct OriginRefusals: Sendable {
  private struct Refusal {
    var generation: UInt64
    /// Whether a renewed token was rejected too.
    var isForGood: Bool
    var until: Instant
  }

  private static let memory = Duration.seconds(300)
  /// The maximum number of origins. The entry that expires first is dropped.
  private static let most = 64

  private var refusals: [ResourceOrigin: Refusal] = [:]
  /// Whether the next renewal is due to a rejection.
  private var awaitsRenewal = false

  package init() {}

  /// Records a 401.
  ///
  /// - Parameter generation: That of the rejected token. It increases with each renewal.
  package mutating func refused(by origin: ResourceOrigin, generation: UInt64, now: Instant) {
    refusals = refusals.filter { now < $0.value.until }
    let before = refusals[origin]
    if let before, before.generation > generation { return }
    let isForGood = before.map { $0.isForGood || $0.generation < generation } ?? false
    refusals[origin] = Refusal(generation: generation, isForGood: isForGood, until: now.advanced(by: Self.memory))
    if !isForGood { awaitsRenewal = true }
    guard refusals.count > Self.most, let oldest = refusals.min(by: { $0.value.until < $1.value.until })?.key else {
      return
    }
    refusals[oldest] = nil
  }

  /// Records a response that accepted the token.
  package mutating func accepted(by origin: ResourceOrigin) {
    if !refusals.isEmpty { refusals[origin] = nil }
  }

  /// Whether an origin has rejected a new token, so that another refresh is pointless.
  package func areForGood(at origin: ResourceOrigin, now: Instant) -> Bool {
    guard let refusal = refusals[origin], now < refusal.until else { return false }
    return refusal.isForGood
  }

  /// Records a renewal. Clears earlier rejections, unless one of them caused the renewal.
  package mutating func renewed() {
    if !awaitsRenewal { refusals = [:] }
    awaitsRenewal = false
  }
}
