internal import Platform

/// Ends an operation's requests and waits, from any thread.
///
/// An operation that spends what can be used only once, such as a refresh token or a code, runs in
/// ``spending(or:_:)``. From the first byte of its request on, ``cancel()`` lets it go on until the result is stored.
/// Only the end of the process cuts it.
package final class Cancellation: Sendable {
  private struct State {
    var isCancelled = false
    /// Number of calls of ``beginSpending()`` whose effect has not ended.
    var spending = 0
    var wakers: [UInt64: @Sendable () -> Void] = [:]
    var lastWaker: UInt64 = 0

    var isOver: Bool { isCancelled && spending == 0 }
  }

  private let state = Monitor(State())

  package init() {}

  /// Ends the operation, unless it is spending something; then as soon as that is over.
  package func cancel() { end { $0.isCancelled = true } }

  private func end(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      if state.isOver { for wake in state.wakers.values { wake() } }
    }
  }

  package var isCancelled: Bool { state.withLock { $0.isOver } }

  /// Whether the operation is spending something, so that ``cancel()`` waits.
  package var isSpending: Bool { state.withLock { $0.spending > 0 } }

  /// Makes ``cancel()`` wait from now on, until the end of the enclosing ``spending(or:_:)`` or else of the operation. An
  /// ``HTTPClient`` calls it before the first byte of a request that spends something.
  ///
  /// - Returns: False if the operation was cancelled before.
  @discardableResult
  package func beginSpending() -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      state.spending += 1
      return true
    }
  }

  /// Runs `body`, which spends something that can be used only once and stores the result. Ends the operation
  /// afterwards if it was cancelled meanwhile.
  ///
  /// - Parameter cancelled: Thrown if the operation was cancelled before.
  package func spending<Result, Problem: Error>(
    or cancelled: Problem, _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    guard let before = state.withLock({ $0.isOver ? nil : $0.spending }) else { throw cancelled }
    defer { end { $0.spending = before } }
    return try body()
  }

  /// Runs `body`, and calls `wake` when the operation is to end meanwhile. `wake` must not wait.
  package func waking<Result, Problem: Error>(
    _ wake: @escaping @Sendable () -> Void, during body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    let number = addWaker(wake)
    defer { removeWaker(number) }
    return try body()
  }

  /// Calls `wake` when the operation is to end, until ``removeWaker(_:)``. `wake` must not wait.
  package func addWaker(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
    state.withLock { state in
      state.lastWaker += 1
      state.wakers[state.lastWaker] = wake
      return state.lastWaker
    }
  }

  package func removeWaker(_ number: UInt64) { state.withLock { $0.wakers[number] = nil } }
}
