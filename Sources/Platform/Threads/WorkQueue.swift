/// Hands values from any thread to any thread, first in, first out.
package final class WorkQueue<Element: Sendable>: Sendable {
  private struct State: Sendable {
    // Taken from the end of `outgoing`, which is filled from `incoming` when it is empty: every
    // element is moved twice at most.
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
  /// - Parameter wait: How long at most; nil waits without end, zero does not wait.
  /// - Returns: Nil when the time has passed, or when the queue is closed and empty.
  package func pop(wait: Duration?) -> Element? {
    // An element is an answer, and so is the end.
    let found = monitor.wait(wait) { (state) -> Element?? in
      if let element = state.take() { return .some(element) }
      return state.isClosed ? .some(nil) : nil
    }
    return found ?? nil
  }

  /// Ends every wait: what is in the queue is still handed out, then `pop` returns nil at once.
  package func close() {
    monitor.update { $0.isClosed = true }
  }
}
