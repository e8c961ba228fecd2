internal import Platform

/// How a shared fetch ended for one caller.
enum Ending<Value> {
  case came(Value)
  case givenUp
  /// No fetch was in progress, and `mayBegin` returned false.
  case notBegun
}

/// Combines concurrent fetches of the same value. One caller fetches it, and all get the result.
final class SharedFetches<Name: Hashable & Sendable, Value: Sendable, Problem: Error & Sendable>: Sendable {
  typealias Outcome = Result<Value, Problem>

  private final class Flight: Sendable {
    let outcome = Monitor<Outcome?>(nil)
  }

  private let flights = Monitor<[Name: Flight]>([:])

  /// How often a waiting caller checks whether to continue.
  private static var patience: Duration { .milliseconds(250) }

  /// - Parameters:
  ///   - name: Identifies the value.
  ///   - isGivenUp: Whether the caller no longer wants the value.
  ///   - isOwn: Whether a failure concerns only its own caller, so that the others try themselves.
  ///   - mayBegin: Whether to start a fetch if none is in progress. Fetches of the value neither start nor end during
  ///     this call.
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
