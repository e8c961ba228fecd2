internal import OAuth
internal import Platform
internal import Vault
package import Vocabulary

/// Makes a lock of the vault wait for the operations that must still write to it.
///
/// A refresh that has sent a refresh token must get the new one to disk, so the keys stay for some seconds until it has
/// ended. Meanwhile no new operation starts at the levels that are about to be locked.
package final class LockGate: Sendable {
  private struct State {
    var inside: [Protection: Int] = [:]
    /// Of the operations inside that can be cancelled.
    var cancellations: [Protection: [ObjectIdentifier: Cancellation]] = [:]
    var closed: Set<Protection> = []
    /// Closed, and the keys are going.
    var wiping: Set<Protection> = []
  }

  private let state = Monitor(State())

  package init() {}

  /// Registers an operation at a level.
  ///
  /// - Parameters:
  ///   - mustWrite: The operation has data that cannot be fetched again, so it may start as long as there are keys.
  ///   - cancellation: Cancelled by a lock, unless the operation is spending something.
  /// - Returns: False when the level is being locked.
  func enter(_ level: Protection, mustWrite: Bool = false, _ cancellation: Cancellation? = nil) -> Bool {
    state.withLock { state in
      guard !(mustWrite ? state.wiping : state.closed).contains(level) else { return false }
      state.inside[level, default: 0] += 1
      if let cancellation { state.cancellations[level, default: [:]][ObjectIdentifier(cancellation)] = cancellation }
      return true
    }
  }

  func leave(_ level: Protection, _ cancellation: Cancellation? = nil) {
    state.update { state in
      state.inside[level, default: 1] -= 1
      if let cancellation { state.cancellations[level]?[ObjectIdentifier(cancellation)] = nil }
    }
  }

  /// Whether the level is being locked. It counts as locked, also while the keys are still there for a write.
  package func isClosed(_ level: Protection) -> Bool { state.withLock { $0.closed.contains(level) } }

  /// Closes these levels to new operations, and cancels those inside that spend nothing.
  package func shut(_ levels: Set<Protection>) {
    state.withLock { state in
      state.closed.formUnion(levels)
      for level in levels { state.cancellations[level]?.values.forEach { $0.cancel() } }
    }
  }

  /// Waits until the operations inside these shut levels have ended, at most for `limit`. Then runs `body` and opens the
  /// levels again. An operation that ends later finds no keys.
  package func wipe(_ levels: Set<Protection>, within limit: Duration, _ body: () -> Void) {
    _ = state.wait(limit) { (state: inout State) -> Bool? in
      guard levels.allSatisfy({ state.inside[$0, default: 0] == 0 }) else { return nil }
      state.wiping.formUnion(levels)
      return true
    }
    state.withLock { $0.wiping.formUnion(levels) }
    body()
    state.withLock { state in
      state.closed.subtract(levels)
      state.wiping.subtract(levels)
    }
  }
}
