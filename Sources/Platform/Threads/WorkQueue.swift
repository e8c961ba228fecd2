/// A first in, first out queue between threads.
package final class WorkQueue<Element: Sendable>: Sendable {
  private struct State: Sendable {
    // Elements leave from the end of `outgoing`, refilled from `incoming`.
    var incoming: [Element] = []
    var outgoing: [Element] = []
    var isClosed = false

    mutating func take() -> Element? {
      if outgoing.isEmpty {
        swap(&outgoing, &incoming)
        outgoing.reverse()
      }
      return outgoing.popLast()
    }
  }

  private let monitor = Monitor(State())

  package init() {}

  /// The caller must limit the queue's length.
  package func push(_ element: Element) {
    monitor.updateForOne { $0.incoming.append(element) }
  }

  /// Removes the oldest element, waiting for one. Nil after the timeout `wait` (nil for no limit), or if the queue is
  /// closed and empty.
  package func pop(wait: Duration?) -> Element? {
    let found = monitor.wait(wait) { (state) -> Element?? in
      if let element = state.take() { return .some(element) }
      return state.isClosed ? .some(nil) : nil
    }
    return found ?? nil
  }

  /// Ends all waits. `pop` still returns the remaining elements, then nil.
  package func close() {
    monitor.update { $0.isClosed = true }
  }
}
