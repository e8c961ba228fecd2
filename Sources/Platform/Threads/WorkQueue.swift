/// A queue between threads, first in, first out.
package final class WorkQueue<Element: Sendable>: Sendable {
  private struct State: Sendable {
    // Elements are taken from the end of `outgoing`, which is filled from `incoming` when it is empty: every element is
    // moved twice at most.
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

  /// Adds an element; the caller bounds how many there can be.
  package func push(_ element: Element) {
    monitor.updateForOne { $0.incoming.append(element) }
  }

  /// Takes the oldest element, waiting for one.
  ///
  /// - Parameter wait: The longest wait; nil means no limit, zero does not wait.
  /// - Returns: Nil if the time has passed, or if the queue is closed and empty.
  package func pop(wait: Duration?) -> Element? {
    // Both an element and the end of the queue end the wait.
    let found = monitor.wait(wait) { (state) -> Element?? in
      if let element = state.take() { return .some(element) }
      return state.isClosed ? .some(nil) : nil
    }
    return found ?? nil
  }

  /// Ends every wait: the elements in the queue are still returned, then `pop` returns nil at once.
  package func close() {
    monitor.update { $0.isClosed = true }
  }
}
