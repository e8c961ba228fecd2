internal import Glibc

/// The machine's own clocks.
package struct SystemTime: TimeSource {
  package init() {}

  package func now() -> Instant { .now }

  package func wallSeconds() -> Int { Int(Instant.read(CLOCK_REALTIME, unit: 1)) }
}
