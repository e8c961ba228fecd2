package import Platform

/// A binary heap of events, ordered by time.
package struct Timers<Event> {
  private var heap: [(due: Instant, event: Event)] = []

  package init() {}

  package var nextDue: Instant? { heap.first?.due }

  package mutating func schedule(_ event: Event, at due: Instant) {
    heap.append((due, event))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].due < heap[parent].due else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes and returns the earliest due event.
  package mutating func popDue(_ now: Instant) -> Event? {
    guard let first = heap.first, first.due <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    siftDown()
    return first.event
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].due < heap[least].due {
        least = child
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
