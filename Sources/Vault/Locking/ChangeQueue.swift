internal import Platform

/// This process's changes of a vault, in order. Waiting changes are written together (group commit).
final class ChangeQueue: Sendable {
  /// The caller waits for the outcome, so the closure may refer to its stack.
  struct Change: @unchecked Sendable {
    enum Work {
      /// Modifies the vault. Returns whether to write it.
      case change((inout OpenVault, borrowing PrivateDirectory) throws(VaultError) -> Bool)
      /// Checks that a write would not fail.
      case rehearsal
      /// Works directly on the files. Not combined with other changes.
      case exclusive((borrowing PrivateDirectory) throws(VaultError) -> Void)
    }

    let work: Work
    /// Whether others may be written together with the change.
    var isShared = false
    /// Whether to create a missing directory, and for a change also a vault.
    var creates = false
    var reserved: ReservedFile?
    /// The ``Vault/wipeCount`` at the request; nil for that at the change's beginning. If it has changed by the end, no
    /// keys stay in memory.
    var locks: Int?
  }

  typealias Outcome = Result<Void, VaultError>

  private struct State {
    var waiting: [(number: UInt64, change: Change)] = []
    /// Outcomes for callers that have not returned yet.
    var outcomes: [UInt64: Outcome] = [:]
    var lastNumber: UInt64 = 0
    /// Whether a caller makes changes or waits for another process that does.
    var hasLeader = false
    /// Whether the leading caller waits for another process.
    var isBlocked = false
  }

  /// Whether a caller makes the queued changes or returns its outcome.
  private enum Step { case lead, ended(Outcome) }

  private let state = Monitor(State())
  private static let pollInterval = Duration.milliseconds(100)
  private static let shortestPause = Duration.milliseconds(1), longestPause = Duration.milliseconds(20)

  /// Queues a change and waits for its outcome. The first waiting caller makes all queued changes.
  ///
  /// - Parameter attempt: Makes the changes that `take` removes from the queue. Returns nil if another process has the
  ///   lock.
  /// - Throws: `busy` if another process kept the lock, or the wait was abandoned.
  func run(
    _ change: Change, _ wait: LockWait, at path: String,
    _ attempt: (_ take: () -> [Change]) throws(VaultError) -> [Outcome]?
  ) throws(VaultError) {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.waiting.append((state.lastNumber, change))
      return state.lastNumber
    }
    let deadline = Instant.now.advanced(by: wait.maximum)
    while true {
      let step = state.wait(Self.pollInterval) { state -> Step? in
        if let outcome = state.outcomes.removeValue(forKey: number) { return .ended(outcome) }
        guard !state.hasLeader, state.waiting.first?.number == number else { return nil }
        state.hasLeader = true
        return .lead
      }
      switch step {
      case .ended(let outcome): return try outcome.get()
      case .lead: return try lead(number, until: deadline, wait, at: path, attempt)
      case nil: if withdraw(number, hasTime: Instant.now < deadline, wait) { throw VaultError(.busy, path: path) }
      }
    }
  }

  /// Withdraws a change whose wait has ended. Returns false if the wait continues or the change has begun.
  private func withdraw(_ number: UInt64, hasTime: Bool, _ wait: LockWait) -> Bool {
    let isGivenUp = wait.isGivenUp()
    return state.update { state in
      guard isGivenUp || !hasTime && state.isBlocked,
        let index = state.waiting.firstIndex(where: { $0.number == number })
      else { return false }
      state.waiting.remove(at: index)
      return true
    }
  }

  private func lead(
    _ number: UInt64, until deadline: Instant, _ wait: LockWait, at path: String,
    _ attempt: (_ take: () -> [Change]) throws(VaultError) -> [Outcome]?
  ) throws(VaultError) {
    var pause = Self.shortestPause
    while true {
      var taken: [UInt64] = []
      let outcomes: [Outcome]?
      do {
        outcomes = try attempt {
          let next = take()
          taken = next.map(\.number)
          return next.map(\.change)
        }
      } catch {
        leave(number)
        throw error
      }
      if let outcomes { return try end(zip(taken, outcomes), number).get() }
      let left = Instant.now.duration(to: deadline)
      guard left > .zero, !wait.isGivenUp() else {
        leave(number)
        throw VaultError(.busy, path: path)
      }
      state.withLock { $0.isBlocked = true }
      // flock(2) has no timeout, so poll.
      Threads.sleep(for: min(pause, left))
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// Removes and returns the changes to make now.
  private func take() -> [(number: UInt64, change: Change)] {
    state.withLock { state in
      state.isBlocked = false
      let count = max(1, state.waiting.prefix { $0.change.isShared }.count)
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting.prefix(count))
    }
  }

  private func leave(_ number: UInt64) {
    state.update { state in
      (state.hasLeader, state.isBlocked) = (false, false)
      state.waiting.removeAll { $0.number == number }
    }
  }

  /// Delivers the outcomes. Returns that of change `number`.
  private func end(_ outcomes: some Sequence<(UInt64, Outcome)>, _ number: UInt64) -> Outcome {
    state.update { state in
      state.hasLeader = false
      for (number, outcome) in outcomes { state.outcomes[number] = outcome }
      return state.outcomes.removeValue(forKey: number) ?? .success(())
    }
  }
}

package struct LockWait {
  package let maximum: Duration
  /// Whether to abandon the wait. Called at least ten times a second.
  package let isGivenUp: () -> Bool

  package init(_ maximum: Duration, unless isGivenUp: @escaping () -> Bool = { false }) {
    (self.maximum, self.isGivenUp) = (maximum, isGivenUp)
  }
}
