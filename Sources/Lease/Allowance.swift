internal import Platform

/// How often something may happen: some times at once, and then so many times a second.
struct Allowance {
  private let most: Int
  private let perSecond: Int
  private var left: Int
  private var counted: Instant

  init(most: Int, perSecond: Int, now: Instant) {
    (self.most, self.perSecond, left, counted) = (most, perSecond, most, now)
  }

  mutating func hasSome(now: Instant) -> Bool {
    let seconds = counted.duration(to: now).components.seconds
    if seconds > 0 {
      left = Int(min(Int64(most), Int64(left) + min(seconds, Int64(most)) * Int64(perSecond)))
      counted = now
    }
    return left > 0
  }

  /// - Returns: Whether something was left.
  mutating func take(now: Instant) -> Bool {
    guard hasSome(now: now) else { return false }
    left -= 1
    return true
  }
}
