internal import Glibc

/// A point in time on `CLOCK_BOOTTIME`, which includes suspend and is never set back (invariant: times are true).
package struct Instant: Sendable, Hashable, Comparable {
  /// Nanoseconds since the machine started.
  package let nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Code under test uses a ``TimeSource`` instead.
  package static var now: Instant {
    Instant(nanoseconds: Instant.read(CLOCK_BOOTTIME, unit: 1_000_000_000))
  }

  package static var distantFuture: Instant { Instant(nanoseconds: .max) }

  package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Clamped instead of overflowing.
  package func advanced(by duration: Duration) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.saturatingNanoseconds)
    guard overflow else { return Instant(nanoseconds: sum) }
    return Instant(nanoseconds: nanoseconds < 0 ? .min : .max)
  }

  /// Negative if `other` is earlier.
  package func duration(to other: Instant) -> Duration {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return .nanoseconds(overflow ? (other < self ? .min : .max) : difference)
  }

  /// Rounded up, at least 0.
  func millisecondsUntil(_ deadline: Instant) -> Int32 {
    let left = duration(to: deadline).saturatingNanoseconds
    guard left > 0 else { return 0 }
    return Int32(clamping: (left - 1) / 1_000_000 + 1)
  }

  /// Reads a clock, in units of 1 / `unit` seconds.
  static func read(_ clock: clockid_t, unit: Int64) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * unit + (unit == 1 ? 0 : Int64(time.tv_nsec) * unit / 1_000_000_000)
  }
}

extension Duration {
  /// Rounded towards zero and clamped.
  package var saturatingNanoseconds: Int64 {
    Int64(clamping: attoseconds / 1_000_000_000)
  }

  /// Rounded towards zero and clamped.
  package var wholeMilliseconds: Int { Int(saturatingNanoseconds / 1_000_000) }
}
