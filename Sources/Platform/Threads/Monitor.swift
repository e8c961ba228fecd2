internal import CPlatform

/// State behind a mutex, with a condition that threads can wait for. Whatever threads may want at the same time is in one.
///
/// The `Mutex` of the standard library would do for what nobody waits for, but its code is built without the thread
/// sanitizer, which then reports races where there are none: a program of four threads that do nothing but
/// `mutex.withLock { $0 += 1 }` is reported at every run, and the same with this lock never is.
///
/// Every change of what a waiter looks at is followed by a wake-up before the lock is given back.
@safe package final class Monitor<State: Sendable & ~Copyable>: @unchecked Sendable {
  // Read and written only with the lock held.
  private var state: State
  private let lock: UnsafeMutableRawPointer

  package init(_ state: consuming State) {
    self.state = state
    guard let lock = unsafe agent_monitor_create() else { preconditionFailure("no memory for a mutex") }
    unsafe self.lock = lock
  }

  deinit { unsafe agent_monitor_destroy(lock) }

  /// Runs `body` with the lock held. Nothing in it may wait or take the lock again.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe agent_monitor_lock(lock)
    defer { unsafe agent_monitor_unlock(lock) }
    return try body(&state)
  }

  /// Like ``withLock(_:)``, then wakes every waiter to look again.
  package func update<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe agent_monitor_lock(lock)
    defer {
      unsafe agent_monitor_wake_all(lock)
      unsafe agent_monitor_unlock(lock)
    }
    return try body(&state)
  }

  /// Like ``withLock(_:)``, then wakes one waiter: enough when each change is for one of them.
  package func updateForOne<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe agent_monitor_lock(lock)
    defer {
      unsafe agent_monitor_wake_one(lock)
      unsafe agent_monitor_unlock(lock)
    }
    return try body(&state)
  }

  /// Calls `body` with the lock held, now and after each wake-up, until it returns a value.
  ///
  /// - Parameter wait: How long at most, not counting suspend; nil waits without end.
  /// - Returns: Nil when the time has passed and the last look still found nothing.
  package func wait<Result>(_ wait: Duration?, for body: (inout State) -> Result?) -> Result? {
    let deadline = wait.map { Monitor.deadline(after: $0) } ?? -1
    unsafe agent_monitor_lock(lock)
    defer { unsafe agent_monitor_unlock(lock) }
    while true {
      if let result = body(&state) { return result }
      if unsafe agent_monitor_wait(lock, deadline) == 0 { return body(&state) }
    }
  }

  private static func deadline(after wait: Duration) -> Int64 {
    let (sum, overflow) = agent_monotonic_now().addingReportingOverflow(max(0, wait.saturatingNanoseconds))
    return overflow ? .max : sum
  }
}
