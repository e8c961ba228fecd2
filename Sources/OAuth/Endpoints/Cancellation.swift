internal import Platform

/// Cancels an operation's requests and pauses, from any thread. Single-use values are spent in
/// ``withDelayedCancellation(orThrow:_:)``: after the request's first byte, ``cancel()`` waits until the result is
/// stored.
package final class Cancellation: Sendable {
  private struct State {
    var isCancelled = false
    /// The number of ``beginSpending()`` calls in effect.
    var spending = 0
    /// Called on cancellation; by number.
    var wakers: [UInt64: @Sendable () -> Void] = [:]
    var lastWaker: UInt64 = 0

    /// Whether the cancellation is in effect.
    var isOver: Bool { isCancelled && spending == 0 }
  }

  private let state = Monitor(State())

  package init() {}

  /// Cancels the operation, or if it ``isSpending``, does so afterwards.
  package func cancel() { update { $0.isCancelled = true } }

  /// Calls the wakers once cancellation takes effect.
  private func update(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      if state.isOver { for wake in state.wakers.values { wake() } }
    }
  }

  /// False while ``cancel()`` is delayed.
  package var isCancelled: Bool { state.withLock { $0.isOver } }

  /// Whether ``cancel()`` would be delayed.
  package var isSpending: Bool { state.withLock { $0.spending > 0 } }

  /// Delays ``cancel()`` until the enclosing ``withDelayedCancellation(orThrow:_:)`` ends. Called before a spending
  /// request's first byte. Returns false if already cancelled.
  @discardableResult
  package func beginSpending() -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      state.spending += 1
      return true
    }
  }

  /// Runs `body`, which spends a single-use value and stores the result. After ``beginSpending()``, cancellation waits
  /// for its end. Throws `cancelled` if already cancelled.
  package func withDelayedCancellation<Result, Problem: Error>(
    orThrow cancelled: Problem, _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    guard let before = state.withLock({ $0.isOver ? nil : $0.spending }) else { throw cancelled }
    defer { update { $0.spending = before } }
    return try body()
  }

  /// Runs `body`. Calls `wake`, which must not block, on cancellation.
  package func withWaker<Result, Problem: Error>(
    _ wake: @escaping @Sendable () -> Void, during body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    let number = addWaker(wake)
    defer { removeWaker(number) }
    return try body()
  }

  /// Registers `wake`, which must not block, under the returned number.
  package func addWaker(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
    state.withLock { state in
      state.lastWaker += 1
      state.wakers[state.lastWaker] = wake
      return state.lastWaker
    }
  }

  package func removeWaker(_ number: UInt64) { state.withLock { $0.wakers[number] = nil } }
}
