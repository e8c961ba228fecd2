internal import OAuth
internal import Platform

/// Delays locking the vault while operations must still write to it: a refresh that has sent a refresh token must store
/// the new one. After a lock, keys remain for some seconds, but no operation starts.
package final class LockGate: Sendable {
  private struct State {
    var operationCounts: [Protection: Int] = [:]
    var cancellations: [Protection: [ObjectIdentifier: Cancellation]] = [:]
    var closed: Set<Protection> = []
    /// Levels whose keys are being wiped.
    var wiping: Set<Protection> = []
  }

  private let state = Monitor(State())

  package init() {}

  /// Registers an operation. Returns false if the level is being locked.
  ///
  /// - Parameters:
  ///   - mustWrite: Whether the operation must store data that cannot be fetched again. It may start until the keys are
  ///     wiped.
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

  /// Waits up to `limit` for operations at these closed levels, then runs `body` and reopens the levels. Longer
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
