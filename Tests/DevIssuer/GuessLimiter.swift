import Platform

/// Slows down the guessing of user codes (RFC 8628 section 5.1).
struct GuessLimiter: Sendable {
  /// Wrong codes in one window.
  private static let limit = 20
  private static let window = Duration.seconds(60)

  private var count = 0
  private var windowStart: Instant?

  func allowsGuess(at now: Instant) -> Bool {
    guard let windowStart, windowStart.duration(to: now) < Self.window else { return true }
    return count < Self.limit
  }

  mutating func noteWrongGuess(at now: Instant) {
    if let windowStart, windowStart.duration(to: now) < Self.window {
      count += 1
    } else {
      windowStart = now
      count = 1
    }
  }
}
