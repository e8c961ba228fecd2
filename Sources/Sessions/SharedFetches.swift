internal import Platform

/// Fetches of one thing that several want at the same time: one of them makes it, and all get what came of it.
final class SharedFetches<Value: Sendable, Problem: Error & Sendable>: Sendable {
  typealias Outcome = Result<Value, Problem>

  private final class Flight: Sendable {
    let outcome = Monitor<Outcome?>(nil)
  }

  private let flights = Monitor<[String: Flight]>([:])

  /// How often a waiter looks whether it is still wanted.
  private static var patience: Duration { .milliseconds(100) }

  /// - Parameters:
  ///   - name: What is fetched, and how.
  ///   - isGivenUp: Whether the caller wants no answer any more.
  ///   - isOwn: Whether a failure concerns only the one that it happened to; the others then try themselves.
  /// - Returns: Nil when the caller has given up.
  func fetch(
    _ name: String, isGivenUp: () -> Bool, isOwn: (Problem) -> Bool, _ body: () throws(Problem) -> Value
  ) throws(Problem) -> Value? {
    while true {
      let (flight, isFirst) = board(name)
      if isFirst { return try fly(flight, name, body).get() }
      guard let outcome = wait(for: flight, isGivenUp) else { return nil }
      if case .failure(let problem) = outcome, isOwn(problem) { continue }
      return try outcome.get()
    }
  }

  /// Whether somebody fetches it now.
  func isUnderWay(_ name: String) -> Bool { flights.withLock { $0[name] != nil } }

  private func board(_ name: String) -> (Flight, isFirst: Bool) {
    flights.withLock { flights in
      if let flight = flights[name] { return (flight, false) }
      let flight = Flight()
      flights[name] = flight
      return (flight, true)
    }
  }

  private func fly(_ flight: Flight, _ name: String, _ body: () throws(Problem) -> Value) -> Outcome {
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
