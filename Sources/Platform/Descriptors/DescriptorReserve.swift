internal import CPlatform

/// Descriptors that are kept open for work that must not fail for lack of them, and closed while it is done. One set is
/// enough for all threads, which do that work one after the other. Thread-safe.
package final class DescriptorReserve: Sendable {
  private struct State {
    var kept: [SharedDescriptor] = []
    var holders = 0
    var isLent = false
  }

  private let count: Int
  private let state = Monitor(State())

  /// - Parameter count: The most descriptors that the work opens at a time.
  package init(count: Int) { self.count = count }

  /// Keeps the descriptors open as long as it lives.
  package final class Hold: Sendable {
    private let reserve: DescriptorReserve

    fileprivate init(_ reserve: DescriptorReserve) { self.reserve = reserve }

    deinit {
      reserve.state.withLock { state in
        state.holders -= 1
        if state.holders == 0 { state.kept = [] }
      }
    }
  }

  /// Keeps the descriptors open until the result is gone. Waits while the work is done.
  ///
  /// - Parameter others: How many more must be free now, for what is done before the work.
  /// - Throws: `EMFILE` or `ENFILE` if there are not so many.
  package func hold(besides others: Int = 0) throws(SystemError) -> Hold {
    let result = state.wait(nil) { state -> Result<Void, SystemError>? in
      guard !state.isLent else { return nil }
      defer { state.kept.removeLast(max(0, state.kept.count - (state.holders > 0 ? self.count : 0))) }
      do throws(SystemError) { try Self.fill(&state, to: self.count + others) } catch { return .failure(error) }
      state.holders += 1
      return .success(())
    }
    // Without a limit of time the wait ends with a result.
    try result!.get()
    return Hold(self)
  }

  /// Closes the descriptors, runs `body`, which no other thread runs meanwhile, and opens them again if they are held.
  package func lend<Result: ~Copyable, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    _ = state.wait(nil) { state -> Void? in
      guard !state.isLent else { return nil }
      (state.isLent, state.kept) = (true, [])
      return ()
    }
    defer {
      state.update { state in
        state.isLent = false
        // Fewer are kept if another thread used some meanwhile. The next `body` may then fail.
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
