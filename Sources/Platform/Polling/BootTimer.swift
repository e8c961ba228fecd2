internal import CPlatform
internal import Glibc

/// Wakes a poll loop at a time of `CLOCK_BOOTTIME` (`timerfd_create(2)`), if necessary on resume from suspend. Readable
/// once expired, until drained or set again.
package struct BootTimer: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  package var raw: Int32 { descriptor.raw }

  package init() throws(SystemError) {
    descriptor = FileDescriptor(owning: try SystemCall.checked(agent_boot_timer_create(), "timerfd_create"))
  }

  /// Expires at `instant`, at once if that has passed. Nil disables the timer.
  package borrowing func set(at instant: Instant?) throws(SystemError) {
    // The kernel interprets 0 as "never".
    let nanoseconds = instant.map { max(1, $0.nanoseconds) } ?? 0
    try SystemCall.checked(agent_boot_timer_set(raw, nanoseconds), "timerfd_settime")
  }

  /// Makes the timer unreadable. Returns whether it had expired.
  @discardableResult
  package borrowing func drain() -> Bool {
    var count: UInt64 = 0
    return unsafe read(raw, &count, 8) == 8
  }
}

/// Wakes a poll loop from another thread (`eventfd(2)`). Readable once signalled, until drained.
package struct EventCounter: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  package var raw: Int32 { descriptor.raw }

  package init() throws(SystemError) {
    descriptor = FileDescriptor(owning: try SystemCall.checked(agent_event_counter_create(), "eventfd"))
  }

  /// Makes the descriptor readable. Never blocks; thread-safe.
  package borrowing func signal() {
    var one: UInt64 = 1
    // Fails only at the maximum, when it is already readable.
    _ = unsafe write(raw, &one, 8)
  }

  /// Makes the counter unreadable. Returns whether it had been signalled.
  @discardableResult
  package borrowing func drain() -> Bool {
    var count: UInt64 = 0
    return unsafe read(raw, &count, 8) == 8
  }
}
