internal import OAuth
internal import Platform

/// Delays locking the vault while operations must still write to it: a refresh that has sent a refresh token must store
/// the new one. Keys are kept for some seconds after a lock, while no operation starts at that level.
package final class LockGate: Sendable {
  private struct State {
    /// The operations in progress at each level.
    var operationCounts: [Protection: Int] = [:]
    var cancellations: [Protection: [ObjectIdentifier: Cancellation]] = [:]
    /// The levels being locked.
    var closed: Set<Protection> = []
    /// The closed levels whose keys are being wiped.
    var wiping: Set<Protection> = []
  }

  private let state = Monitor(State())

  package init() {}

  /// Registers an operation. Returns false if the level is being locked.
  ///
  /// - Parameters:
  ///   - mustWrite: Whether the operation must store data that cannot be fetched again. It may then start until the
  ///     keys are wiped.
  ///   - cancellation: Cancelled by a lock, unless a token or code is being spent.
  func enter(_ level: Protection, mustWrite: Bool = false, _ cancellation: Cancellation? = nil) -> Bool {
    state.withLock { state in
      guard !(mustWrite ? state.wiping : state.closed).contains(level) else { return false }
      state.operationCounts[level, default: 0] += 1
      if let cancellation { state.cancellations[level, default: [:]][ObjectIdentifier(cancellation)] = cancellation }
      return true
    }
  }

  func leave(_ level: Protection, _ cancellation: Cancellation? = nil) {
    state.update { state in
      state.operationCounts[level, default: 1] -= 1
      if let cancellation { state.cancellations[level]?[ObjectIdentifier(cancellation)] = nil }
    }
  }

  /// Whether no operation may start at the level.
  package func isClosed(_ level: Protection) -> Bool { state.withLock { $0.closed.contains(level) } }

  /// Closes levels to new operations. Cancels running ones, unless they are spending a token or code.
  package func close(_ levels: Set<Protection>) {
    state.withLock { state in
      state.closed.formUnion(levels)
      for level in levels { state.cancellations[level]?.values.forEach { $0.cancel() } }
    }
  }

  /// Waits up to `limit` for the operations at these closed levels, then runs `body` and reopens the levels. Longer
  /// operations find no keys.
  package func wipe(_ levels: Set<Protection>, within limit: Duration, _ body: () -> Void) {
    _ = state.wait(limit) { (state: inout State) -> Bool? in
      guard levels.allSatisfy({ state.operationCounts[$0, default: 0] == 0 }) else { return nil }
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
