internal import CPlatform

/// State protected by a mutex, with a condition variable. The standard library's `Mutex` has none, and is unknown to
/// the thread sanitizer.
@safe package final class Monitor<State: Sendable & ~Copyable>: @unchecked Sendable {
  // Accessed only while holding the lock.
  private var state: State
  private let lock: UnsafeMutableRawPointer

  package init(_ state: consuming State) {
    self.state = state
    guard let lock = unsafe agent_monitor_create() else { preconditionFailure("no memory for a mutex") }
    unsafe self.lock = lock
  }

  deinit { unsafe agent_monitor_destroy(lock) }

  /// `body` must not block or acquire the lock again.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe agent_monitor_lock(lock)
    defer { unsafe agent_monitor_unlock(lock) }
    return try body(&state)
  }

  /// Like ``withLock(_:)``, then wakes all waiters.
  package func update<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // A waiter woken under the lock would wait again.
    defer {
      unsafe agent_monitor_wake_all(lock)
      extendLifetime(self)
    }
    return try withLock(body)
  }

  /// Like ``withLock(_:)``, then wakes one waiter. For a change that concerns only one.
  package func updateForOne<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer {
      unsafe agent_monitor_wake_one(lock)
      extendLifetime(self)
    }
    return try withLock(body)
  }

  /// Calls `body` while holding the lock, now and after each wake-up, until it returns a value. Returns nil after the
  /// timeout. Use ``update(_:)`` for the awaited changes.
  ///
  /// - Parameter wait: The timeout, not counting suspend; nil for no limit.
  package func wait<Result>(_ wait: Duration?, for body: (inout State) -> Result?) -> Result? {
    let deadline = wait.map { Monitor.deadline(after: $0) } ?? -1
    unsafe agent_monitor_lock(lock)
    defer { unsafe agent_monitor_unlock(lock) }
    while true {
      if let result = body(&state) { return result }
      if unsafe agent_monitor_wait(lock, deadline) == 0 { return body(&state) }
    }
  }

  /// The time on the monotonic clock, in nanoseconds.
  private static func deadline(after wait: Duration) -> Int64 {
    let (sum, overflow) = agent_monotonic_now().addingReportingOverflow(max(0, wait.saturatingNanoseconds))
    return overflow ? .max : sum
  }
}
