internal import CPlatform

/// Reserves descriptors for work that must not fail for lack of them, done by one thread at a time. Thread-safe.
package final class DescriptorReserve: Sendable {
  private struct State {
    /// Empty while the descriptors are released.
    var kept: [SharedDescriptor] = []
    /// The number of ``Reservation`` values.
    var holders = 0
    var isReleased = false
  }

  private let count: Int
  private let state = Monitor(State())

  /// - Parameter count: The most descriptors that the work opens.
  package init(count: Int) { self.count = count }

  /// Keeps the descriptors reserved during its lifetime.
  package final class Reservation: Sendable {
    private let reserve: DescriptorReserve

    fileprivate init(_ reserve: DescriptorReserve) { self.reserve = reserve }

    deinit {
      reserve.state.withLock { state in
        state.holders -= 1
        if state.holders == 0 { state.kept = [] }
      }
    }
  }

  /// Reserves the descriptors until the result is released, and checks that `others` more are free. Waits while
  /// ``withReleased(_:)`` runs. Throws `EMFILE` or `ENFILE` if too few are free.
  package func reserve(besides others: Int = 0) throws(SystemError) -> Reservation {
    let result = state.wait(nil) { state -> Result<Void, SystemError>? in
      guard !state.isReleased else { return nil }
      defer { state.kept.removeLast(max(0, state.kept.count - (state.holders > 0 ? self.count : 0))) }
      do throws(SystemError) { try Self.fill(&state, to: self.count + others) } catch { return .failure(error) }
      state.holders += 1
      return .success(())
    }
    // Without a timeout, there is always a result.
    try result!.get()
    return Reservation(self)
  }

  /// Releases the descriptors, runs `body` exclusively, and reserves them again if a ``Reservation`` exists.
  package func withReleased<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    _ = state.wait(nil) { state -> Void? in
      guard !state.isReleased else { return nil }
      (state.isReleased, state.kept) = (true, [])
      return ()
    }
    defer {
      state.update { state in
        state.isReleased = false
        // The next `body` may fail if another thread uses some.
        if state.holders > 0 { try? Self.fill(&state, to: count) }
      }
    }
    return try body()
  }

  private static func fill(_ state: inout State, to count: Int) throws(SystemError) {
    while state.kept.count < count {
      state.kept.append(
        SharedDescriptor(FileDescriptor(owning: try SystemCall.checked(agent_event_counter_create(), "eventfd"))))
    }
  }
}
