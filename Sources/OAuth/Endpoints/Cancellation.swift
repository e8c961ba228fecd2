private import Synchronization

/// A flag that ends a request from another thread. Once set it stays set.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  package init() {}

  package func cancel() { flag.store(true, ordering: .releasing) }

  package var isCancelled: Bool { flag.load(ordering: .acquiring) }
}
