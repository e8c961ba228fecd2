package import OAuth
package import Platform

/// The origins that refused an account's tokens, so that no refresh is spent on one that refuses new tokens too.
///
/// An origin that refused a fresh token is remembered for five minutes, or until the token is renewed for another reason
/// than such a refusal.
package struct OriginRefusals: Sendable {
  private struct Refusal {
    /// Of the token that was refused last.
    var generation: UInt64
    /// A newer token than the one before was refused.
    var isForGood: Bool
    var until: Instant
  }

  private static let memory = Duration.seconds(300)
  /// The refusal that ends first gives way to one more.
  private static let most = 64

  private var refusals: [ResourceOrigin: Refusal] = [:]
  /// The next renewal is because of a refusal.
  private var awaitsRenewal = false

  package init() {}

  /// Takes note of a 401.
  ///
  /// - Parameter generation: Of the token that was refused; a renewed one has a greater number.
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

  /// Takes note of an answer that did not refuse the token.
  package mutating func accepted(by origin: ResourceOrigin) {
    if !refusals.isEmpty { refusals[origin] = nil }
  }

  /// Whether an origin has refused a fresh token, so that another one is not worth a refresh.
  package func areForGood(at origin: ResourceOrigin, now: Instant) -> Bool {
    guard let refusal = refusals[origin], now < refusal.until else { return false }
    return refusal.isForGood
  }

  /// Records a renewal of the token. Earlier refusals no longer count, unless the renewal was because of one.
  package mutating func renewed() {
    if !awaitsRenewal { refusals = [:] }
    awaitsRenewal = false
  }
}
