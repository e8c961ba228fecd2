internal import Platform

enum FetchResult<Value> {
  /// By this or another caller.
  case fetched(Value)
  /// The caller was cancelled.
  case givenUp
  /// No fetch was in progress, and `mayBegin` returned false.
  case notBegun
}

/// Combines concurrent fetches of the same value into one.
final class SharedFetches<Name: Hashable & Sendable, Value: Sendable, Problem: Error & Sendable>: Sendable {
  typealias Outcome = Result<Value, Problem>

  private final class PendingFetch: Sendable {
    /// Nil while in progress.
    let outcome = Monitor<Outcome?>(nil)
  }

  private let pendingFetches = Monitor<[Name: PendingFetch]>([:])

  private static var pollInterval: Duration { .milliseconds(250) }

  /// Runs `body` to fetch a value, or waits for another caller's fetch of `name` until `isGivenUp` returns true.
  ///
  /// - Parameters:
  ///   - concernsCallerOnly: Whether others must fetch themselves after this failure.
  ///   - mayBegin: Whether to start a fetch. Called under the lock.
  func fetch(
    _ name: Name, isGivenUp: () -> Bool, concernsCallerOnly: (Problem) -> Bool, mayBegin: () -> Bool = { true },
    _ body: () throws(Problem) -> Value
  ) throws(Problem) -> FetchResult<Value> {
    while true {
      guard let (pending, isFirst) = joinOrStart(name, mayBegin) else { return .notBegun }
      if isFirst { return .fetched(try fetch(pending, name, body).get()) }
      guard let outcome = wait(for: pending, isGivenUp) else { return .givenUp }
      if case .failure(let problem) = outcome, concernsCallerOnly(problem) { continue }
      return .fetched(try outcome.get())
    }
  }

  private func joinOrStart(_ name: Name, _ mayBegin: () -> Bool) -> (PendingFetch, isFirst: Bool)? {
    pendingFetches.withLock { pendingFetches in
      if let pending = pendingFetches[name] { return (pending, false) }
      guard mayBegin() else { return nil }
      let pending = PendingFetch()
      pendingFetches[name] = pending
      return (pending, true)
    }
  }

  private func fetch(_ pending: PendingFetch, _ name: Name, _ body: () throws(Problem) -> Value) -> Outcome {
    let outcome: Outcome
    do throws(Problem) { outcome = .success(try body()) } catch { outcome = .failure(error) }
    pendingFetches.withLock { $0[name] = nil }
    pending.outcome.update { $0 = outcome }
    return outcome
  }

  /// Nil if this caller is cancelled first.
  private func wait(for pending: PendingFetch, _ isGivenUp: () -> Bool) -> Outcome? {
    while !isGivenUp() {
      if let outcome = pending.outcome.wait(Self.pollInterval, for: { $0 }) { return outcome }
    }
    return nil
  }
}
