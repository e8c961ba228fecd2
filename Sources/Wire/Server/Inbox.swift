package import Platform

/// Work that other threads post to the loop.
package final class Inbox: Sendable {
  private let actions = Monitor<[@Sendable () -> Void]>([])
  private let counter: EventCounter

  package init() throws(SystemError) { counter = try EventCounter() }

  /// Readable while there is work.
  package var raw: Int32 { counter.raw }

  /// Calls `action` on the loop's thread. Thread-safe.
  package func post(_ action: @escaping @Sendable () -> Void) {
    actions.withLock { $0.append(action) }
    counter.signal()
  }

  package func takeAll() -> [@Sendable () -> Void] {
    counter.drain()
    return actions.withLock { actions in
      defer { actions = [] }
      return actions
    }
  }
}
