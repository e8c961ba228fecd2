internal import Platform

/// Allows a burst of `burst` events, then `perSecond` events per second.
struct RateLimit {
  private let burst: Int
  private let perSecond: Int
  private var remaining: Int
  private var lastRefill: Instant

  init(burst: Int, perSecond: Int, now: Instant) {
    (self.burst, self.perSecond, remaining, lastRefill) = (burst, perSecond, burst, now)
  }

  /// Whether an event is allowed now. Does not count it.
  mutating func allowsEvent(now: Instant) -> Bool {
    let seconds = lastRefill.duration(to: now).components.seconds
    if seconds > 0 {
      remaining = Int(min(Int64(burst), Int64(remaining) + min(seconds, Int64(burst)) * Int64(perSecond)))
      lastRefill = now
    }
    return remaining > 0
  }

  /// Counts an event. Returns false if not allowed.
  mutating func consume(now: Instant) -> Bool {
    guard allowsEvent(now: now) else { return false }
    remaining -= 1
    return true
  }
}
