internal import Platform

/// The result of a shared fetch for one caller.
enum FetchResult<Value> {
  /// The value was fetched, by this or another caller.
  case fetched(Value)
  /// The caller was cancelled.
  case givenUp
  /// No fetch was in progress, and `mayBegin` returned false.
  case notBegun
}

/// Combines concurrent fetches of the same value: one caller fetches it for all.
final class SharedFetches<Name: Hashable & Sendable, Value: Sendable, Problem: Error & Sendable>: Sendable {
  typealias Outcome = Result<Value, Problem>

  private final class Flight: Sendable {
    /// The result. Nil while the fetch is in progress.
    let outcome = Monitor<Outcome?>(nil)
  }

  private let flights = Monitor<[Name: Flight]>([:])

  /// How often a waiting caller checks whether it was cancelled.
  private static var pollInterval: Duration { .milliseconds(250) }

  /// Fetches a value, or waits for another caller's fetch of it.
  ///
  /// - Parameters:
  ///   - isGivenUp: Whether the caller was cancelled.
  ///   - concernsCallerOnly: Whether a failure concerns only the caller that fetched. The others then fetch themselves.
  ///   - mayBegin: Whether to start a fetch. Called under the lock.
  func fetch(
    _ name: Name, isGivenUp: () -> Bool, concernsCallerOnly: (Problem) -> Bool, mayBegin: () -> Bool = { true },
    _ body: () throws(Problem) -> Value
  ) throws(Problem) -> FetchResult<Value> {
    while true {
      guard let (flight, isFirst) = joinOrStart(name, mayBegin) else { return .notBegun }
      if isFirst { return .fetched(try fetch(flight, name, body).get()) }
      guard let outcome = wait(for: flight, isGivenUp) else { return .givenUp }
      if case .failure(let problem) = outcome, concernsCallerOnly(problem) { continue }
      return .fetched(try outcome.get())
    }
  }

  /// Joins the fetch of `name`, or starts one and returns `isFirst` as true. Nil if `mayBegin` forbids it.
  private func joinOrStart(_ name: Name, _ mayBegin: () -> Bool) -> (Flight, isFirst: Bool)? {
    flights.withLock { flights in
      if let flight = flights[name] { return (flight, false) }
      guard mayBegin() else { return nil }
      let flight = Flight()
      flights[name] = flight
      return (flight, true)
    }
  }

  /// Fetches the value for all waiting callers.
  private func fetch(_ flight: Flight, _ name: Name, _ body: () throws(Problem) -> Value) -> Outcome {
    let outcome: Outcome
    do throws(Problem) { outcome = .success(try body()) } catch { outcome = .failure(error) }
    flights.withLock { $0[name] = nil }
    flight.outcome.update { $0 = outcome }
    return outcome
  }

  /// The outcome of another caller's fetch. Nil if this caller is cancelled first.
  private func wait(for flight: Flight, _ isGivenUp: () -> Bool) -> Outcome? {
    while !isGivenUp() {
      if let outcome = flight.outcome.wait(Self.pollInterval, for: { $0 }) { return outcome }
    }
    return nil
  }
}
