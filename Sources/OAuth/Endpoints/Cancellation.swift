package import Platform
private import Synchronization

/// A flag that ends a request from another thread. Once set it stays set.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  private let deadline: Instant

  /// - Parameter deadline: From then on it is set.
  package init(at deadline: Instant = .distantFuture) { self.deadline = deadline }

  package func cancel() { flag.store(true, ordering: .releasing) }

  package var isCancelled: Bool { flag.load(ordering: .acquiring) || deadline <= .now }
}
