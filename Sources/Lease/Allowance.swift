internal import Platform

/// A rate limit: a burst of `most` events, then `perSecond` events per second.
struct Allowance {
  private let most: Int
  private let perSecond: Int
  private var left: Int
  /// When `left` was last increased.
  private var counted: Instant

  init(most: Int, perSecond: Int, now: Instant) {
    (self.most, self.perSecond, left, counted) = (most, perSecond, most, now)
  }

  /// Whether an event is allowed now.
  mutating func hasSome(now: Instant) -> Bool {
    let seconds = counted.duration(to: now).components.seconds
    if seconds > 0 {
      left = Int(min(Int64(most), Int64(left) + min(seconds, Int64(most)) * Int64(perSecond)))
      counted = now
    }
    return left > 0
  }

  /// Counts an event. Returns false if it is not allowed.
  mutating func take(now: Instant) -> Bool {
    guard hasSome(now: now) else { return false }
    left -= 1
    return true
  }
}
