internal import Glibc

/// Where the time comes from. Passed to everything that waits or expires, so that tests own it.
package protocol TimeSource: Sendable {
  /// The moment for deadlines; suspend counts.
  func now() -> Instant
  /// Seconds since 1970, UTC, as the machine believes; may be wrong and may jump.
  func wallSeconds() -> Int
}

/// The machine's own clocks.
package struct SystemTime: TimeSource {
  package init() {}

  package func now() -> Instant { .now }

  package func wallSeconds() -> Int { Int(Instant.read(CLOCK_REALTIME, unit: 1)) }
}
