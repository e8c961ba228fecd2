internal import Platform

/// The changes of a vault by this process. They are made one after the other, and those that wait at the same time are
/// written together: one file, one fsync, one rename (group commit).
final class ChangeQueue: Sendable {
  /// A change whose caller waits for its outcome, so its closure may use what is on the caller's stack.
  struct Change: @unchecked Sendable {
    enum Work {
      /// Changes the vault, and returns whether it must be written.
      case change((inout OpenVault, borrowing PrivateDirectory) throws(VaultError) -> Bool)
      /// Only rehearses the write.
      case rehearsal
      /// Changes the file by itself, without other changes.
      case alone((borrowing PrivateDirectory) throws(VaultError) -> Void)
    }

    let work: Work
    /// Whether it may be made together with others.
    var isShared = false
    /// Whether the directory is made if there is none, and the vault for a change.
    var creates = false
    /// A ``Vault/lockCount``: keys are remembered only if none was wiped since then. Nil counts from the change on.
    var locks: Int?
  }

  typealias Outcome = Result<Void, VaultError>

  private struct State {
    var waiting: [(number: UInt64, change: Change)] = []
    var outcomes: [UInt64: Outcome] = [:]
    var lastNumber: UInt64 = 0
    /// Whether a caller makes changes, or waits for another process that does.
    var isLed = false
    /// Whether another process has the lock.
    var isBlocked = false
  }

  private enum Step { case lead, ended(Outcome) }

  private let state = Monitor(State())
  /// How often a caller checks whether it still waits.
  private static let pollInterval = Duration.milliseconds(100)
  private static let shortestPause = Duration.milliseconds(1), longestPause = Duration.milliseconds(20)

  /// Makes a change, or has another caller make it.
  ///
  /// - Parameters:
  ///   - attempt: Takes the lock, calls its argument for the changes to make, and returns their outcomes. Nil if another
  ///     process has the lock.
  /// - Throws: `busy` if another process had the lock for the whole wait, or the wait was given up.
  func run(
    _ change: Change, _ wait: LockWait, at path: String,
    _ attempt: (_ take: () -> [Change]) throws(VaultError) -> [Outcome]?
  ) throws(VaultError) {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.waiting.append((state.lastNumber, change))
      return state.lastNumber
    }
    let deadline = Instant.now.advanced(by: wait.longest)
    while true {
      let step = state.wait(Self.pollInterval) { state -> Step? in
        if let outcome = state.outcomes.removeValue(forKey: number) { return .ended(outcome) }
        guard !state.isLed, state.waiting.first?.number == number else { return nil }
        state.isLed = true
        return .lead
      }
      switch step {
      case .ended(let outcome): return try outcome.get()
      case .lead: return try lead(number, until: deadline, wait, at: path, attempt)
      case nil: if withdraw(number, hasTime: Instant.now < deadline, wait) { throw VaultError(.busy, path: path) }
      }
    }
  }

  /// Withdraws a change whose wait is over, unless it has begun.
  ///
  /// - Parameter hasTime: Whether only giving up ends the wait. Changes of this process end by themselves, so the time is
  ///   not over while another caller makes them.
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
      // flock(2) has no time limit, so it is tried again.
      Threads.sleep(for: min(pause, left))
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// The changes to make now, the leading caller's first.
  private func take() -> [(number: UInt64, change: Change)] {
    state.withLock { state in
      state.isBlocked = false
      let count = max(1, state.waiting.prefix { $0.change.isShared }.count)
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting.prefix(count))
    }
  }

  /// The leading caller ends without having made a change.
  private func leave(_ number: UInt64) {
    state.update { state in
      (state.isLed, state.isBlocked) = (false, false)
      state.waiting.removeAll { $0.number == number }
    }
  }

  /// Delivers each caller its outcome, and returns that of the leading one.
  private func end(_ outcomes: some Sequence<(UInt64, Outcome)>, _ number: UInt64) -> Outcome {
    state.update { state in
      state.isLed = false
      for (number, outcome) in outcomes { state.outcomes[number] = outcome }
      return state.outcomes.removeValue(forKey: number) ?? .success(())
    }
  }
}

/// How long a call waits for a lock that another process has.
package struct LockWait {
  package let longest: Duration
  /// Ends the wait when it is true; asked ten times a second at least.
  package let isGivenUp: () -> Bool

  package init(_ longest: Duration, unless isGivenUp: @escaping () -> Bool = { false }) {
    (self.longest, self.isGivenUp) = (longest, isGivenUp)
  }
}
