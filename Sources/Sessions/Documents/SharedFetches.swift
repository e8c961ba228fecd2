internal import Platform

/// The result of asking for a value that is fetched.
enum Ending<Value> {
  case came(Value)
  /// The caller stopped waiting.
  case givenUp
  /// No fetch is under way, and `mayBegin` did not allow one.
  case notBegun
}

/// Fetches of one value that several callers want at the same time: one of them fetches it, and all get the result.
final class SharedFetches<Name: Hashable & Sendable, Value: Sendable, Problem: Error & Sendable>: Sendable {
  typealias Outcome = Result<Value, Problem>

  private final class Flight: Sendable {
    let outcome = Monitor<Outcome?>(nil)
  }

  private let flights = Monitor<[Name: Flight]>([:])

  /// How often a waiter looks whether it is still wanted.
  private static var patience: Duration { .milliseconds(250) }

  /// - Parameters:
  ///   - name: The value to fetch, and the way to fetch it.
  ///   - isGivenUp: Whether the caller wants no answer any more.
  ///   - isOwn: Whether a failure concerns only the caller that it happened to; the others then try themselves.
  ///   - mayBegin: Whether to start a fetch when none is under way. No other fetch of the value starts or ends
  ///     meanwhile.
  func fetch(
    _ name: Name, isGivenUp: () -> Bool, isOwn: (Problem) -> Bool, mayBegin: () -> Bool = { true },
    _ body: () throws(Problem) -> Value
  ) throws(Problem) -> Ending<Value> {
    while true {
      guard let (flight, isFirst) = board(name, mayBegin) else { return .notBegun }
      if isFirst { return .came(try fetch(flight, name, body).get()) }
      guard let outcome = wait(for: flight, isGivenUp) else { return .givenUp }
      if case .failure(let problem) = outcome, isOwn(problem) { continue }
      return .came(try outcome.get())
    }
  }

  private func board(_ name: Name, _ mayBegin: () -> Bool) -> (Flight, isFirst: Bool)? {
    flights.withLock { flights in
      if let flight = flights[name] { return (flight, false) }
      guard mayBegin() else { return nil }
      let flight = Flight()
      flights[name] = flight
      return (flight, true)
    }
  }

  private func fetch(_ flight: Flight, _ name: Name, _ body: () throws(Problem) -> Value) -> Outcome {
    let outcome: Outcome
    do throws(Problem) { outcome = .success(try body()) } catch { outcome = .failure(error) }
    flights.withLock { $0[name] = nil }
    flight.outcome.update { $0 = outcome }
    return outcome
  }

  private func wait(for flight: Flight, _ isGivenUp: () -> Bool) -> Outcome? {
    while !isGivenUp() {
      if let outcome = flight.outcome.wait(Self.patience, for: { $0 }) { return outcome }
    }
    return nil
  }
}
