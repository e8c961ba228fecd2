internal import Platform

/// What other threads have for the loop to do; the loop wakes up when there is something.
final class Inbox: Sendable {
  private let actions = Monitor<[@Sendable () -> Void]>([])
  private let counter: EventCounter

  init() throws(SystemError) { counter = try EventCounter() }

  var raw: Int32 { counter.raw }

  /// From any thread; `act` is run on the loop's.
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
