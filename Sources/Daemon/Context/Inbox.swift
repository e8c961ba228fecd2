internal import Platform

/// Work that other threads post to the loop. Posting wakes the loop.
final class Inbox: Sendable {
  private let actions = Monitor<[@Sendable () -> Void]>([])
  private let counter: EventCounter

  init() throws(SystemError) { counter = try EventCounter() }

  var raw: Int32 { counter.raw }

  /// Runs `act` on the loop's thread. Callable from any thread.
  func post(_ act: @escaping @Sendable () -> Void) {
    actions.withLock { $0.append(act) }
    counter.signal()
  }

  func takeAll() -> [@Sendable () -> Void] {
    counter.drain()
    return actions.withLock { actions in
      defer { actions = [] }
      return actions
    }
  }
}
