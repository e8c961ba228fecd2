internal import Glibc

/// A source of time, which tests control.
package protocol TimeSource: Sendable {
  /// For deadlines. Includes suspend.
  func now() -> Instant
  /// Unix seconds of the machine's clock, which may be wrong and jump.
  func wallSeconds() -> Int
}

extension TimeSource {
  /// Seconds of the machine's clock minus those of the monotonic clock.
  package var clockOffset: Int { wallSeconds() - Int(now().nanoseconds / 1_000_000_000) }
}

package struct SystemTime: TimeSource {
  package init() {}

  package func now() -> Instant { .now }

  package func wallSeconds() -> Int { Int(Instant.read(CLOCK_REALTIME, unit: 1)) }
}
