package import Platform

/// A clock that advances only when a test moves it.
package final class ManualTime: TimeSource {
  private struct State: Sendable {
    var now: Instant
    var wallSeconds: Int
  }

  private let state: Monitor<State>

  package init(now: Instant = Instant(nanoseconds: 1_000_000_000_000), wallSeconds: Int = 1_700_000_000) {
    state = Monitor(State(now: now, wallSeconds: wallSeconds))
  }

  package func now() -> Instant { state.withLock { $0.now } }

  package func wallSeconds() -> Int { state.withLock { $0.wallSeconds } }

  /// Moves both clocks forward.
  package func advance(seconds: Int) {
    state.withLock {
      $0.now = $0.now.advanced(by: .seconds(seconds))
      $0.wallSeconds += seconds
    }
  }

  /// Sets only the wall clock, like an administrator or a time server.
  package func setWall(seconds: Int) {
    state.withLock { $0.wallSeconds = seconds }
  }
}

extension Duration {
  /// How long a test waits for an event before it fails. Longer than all tests take on a busy machine, since the event
  /// may depend on any of them.
  package static let testLimit = Duration.seconds(1800)
}
