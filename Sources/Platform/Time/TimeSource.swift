internal import Glibc

/// A source of time, which tests control.
package protocol TimeSource: Sendable {
  /// The time for deadlines, including suspend.
  func now() -> Instant
  /// Unix seconds of the machine's clock, which may be wrong and may jump.
  func wallSeconds() -> Int
}

extension TimeSource {
  /// How far the machine's clock is ahead of the monotonic one, in seconds.
  package var clockOffset: Int { wallSeconds() - Int(now().nanoseconds / 1_000_000_000) }
}

package struct SystemTime: TimeSource {
  package init() {}

  package func now() -> Instant { .now }

  package func wallSeconds() -> Int { Int(Instant.read(CLOCK_REALTIME, unit: 1)) }
}
