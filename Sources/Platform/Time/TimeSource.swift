internal import Glibc

/// A source of time. Everything that waits or expires gets one, so that tests control the time.
package protocol TimeSource: Sendable {
  /// The current moment, for deadlines; it counts suspend.
  func now() -> Instant
  /// Unix seconds of the machine's clock, which may be wrong and may jump.
  func wallSeconds() -> Int
}

extension TimeSource {
  /// How far the machine's clock is ahead of the one that is never set, in seconds.
  package var clockOffset: Int { wallSeconds() - Int(now().nanoseconds / 1_000_000_000) }
}

/// The clocks of the machine.
package struct SystemTime: TimeSource {
  package init() {}

  package func now() -> Instant { .now }

  package func wallSeconds() -> Int { Int(Instant.read(CLOCK_REALTIME, unit: 1)) }
}
