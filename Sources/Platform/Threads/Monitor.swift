internal import CPlatform

/// State protected by a mutex, with a condition variable. Unlike the standard library's `Mutex`, known to the thread
/// sanitizer.
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

  /// Like ``withLock(_:)``, then wakes one waiter.
  package func updateForOne<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer {
      unsafe agent_monitor_wake_one(lock)
      extendLifetime(self)
    }
    return try withLock(body)
  }

  /// Calls `body` under the lock, now and after each ``update(_:)``, until it returns a value. Nil after the timeout
  /// `wait`, which excludes suspend; nil waits without a limit.
  package func wait<Result>(_ wait: Duration?, for body: (inout State) -> Result?) -> Result? {
    let deadline = wait.map { Monitor.deadline(after: $0) } ?? -1
    unsafe agent_monitor_lock(lock)
    defer { unsafe agent_monitor_unlock(lock) }
    while true {
      if let result = body(&state) { return result }
      if unsafe agent_monitor_wait(lock, deadline) == 0 { return body(&state) }
    }
  }

  /// On the monotonic clock, in nanoseconds.
  private static func deadline(after wait: Duration) -> Int64 {
    let (sum, overflow) = agent_monotonic_now().addingReportingOverflow(max(0, wait.saturatingNanoseconds))
    return overflow ? .max : sum
  }
}
