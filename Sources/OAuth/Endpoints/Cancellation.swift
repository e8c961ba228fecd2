internal import Platform

/// Cancels an operation's requests and pauses, from any thread. An operation that spends a single-use value, such as a
/// refresh token or a code, runs in ``withDelayedCancellation(orThrow:_:)``. After the first byte of its request,
/// ``cancel()`` takes effect only when the result is stored.
package final class Cancellation: Sendable {
  private struct State {
    var isCancelled = false
    /// The number of ``beginSpending()`` calls in effect.
    var spending = 0
    /// The closures to call on cancellation, by number.
    var wakers: [UInt64: @Sendable () -> Void] = [:]
    var lastWaker: UInt64 = 0

    var isOver: Bool { isCancelled && spending == 0 }
  }

  private let state = Monitor(State())

  package init() {}

  /// Cancels the operation, or if it ``isSpending``, does so once the spending has ended.
  package func cancel() { update { $0.isCancelled = true } }

  /// Calls the wakers if the change puts the cancellation into effect.
  private func update(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      if state.isOver { for wake in state.wakers.values { wake() } }
    }
  }

  /// False while ``cancel()`` is delayed.
  package var isCancelled: Bool { state.withLock { $0.isOver } }

  /// Whether spending a single-use value delays ``cancel()``.
  package var isSpending: Bool { state.withLock { $0.spending > 0 } }

  /// Delays ``cancel()`` until the enclosing ``withDelayedCancellation(orThrow:_:)`` ends. An ``HTTPClient`` calls it
  /// before the first byte of a spending request. Returns false if the operation was already cancelled.
  @discardableResult
  package func beginSpending() -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      state.spending += 1
      return true
    }
  }

  /// Runs `body`, which spends a single-use value and stores the result. After ``beginSpending()``, delays a
  /// cancellation until `body` ends. Throws `cancelled` if the operation was already cancelled.
  package func withDelayedCancellation<Result, Problem: Error>(
    orThrow cancelled: Problem, _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    guard let before = state.withLock({ $0.isOver ? nil : $0.spending }) else { throw cancelled }
    defer { update { $0.spending = before } }
    return try body()
  }

  /// Runs `body`. Calls `wake`, which must not block, if cancelled meanwhile.
  package func withWaker<Result, Problem: Error>(
    _ wake: @escaping @Sendable () -> Void, during body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    let number = addWaker(wake)
    defer { removeWaker(number) }
    return try body()
  }

  /// Registers `wake`, which must not block. Returns a number for ``removeWaker(_:)``.
  package func addWaker(_ wake: @escaping @Sendable () -> Void) -> UInt64 {
    state.withLock { state in
      state.lastWaker += 1
      state.wakers[state.lastWaker] = wake
      return state.lastWaker
    }
  }

  package func removeWaker(_ number: UInt64) { state.withLock { $0.wakers[number] = nil } }
}
