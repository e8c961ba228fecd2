internal import OAuth
internal import Platform

/// An action that the loop runs at a scheduled time.
enum TimerEvent: Sendable, Hashable {
  case refreshRetry(account: String, target: TokenTarget?, generation: UInt64, attempt: Int)
  /// A session's renewal or notice of expiry may be due.
  case attention(account: String, target: TokenTarget?)
  /// The waiting time of a request for an unreachable server is over.
  case waitOver(account: String, target: TokenTarget?)
  /// A request to an unreachable resource is repeated.
  case transfer(Ticket)
  /// The settling time after a network change is over.
  case networkChanged
  case devicePoll(login: UInt64)
  case signInExpiry(login: UInt64)
  /// The idle time before the automatic lock may be over.
  case idleLock
  case tokenFile(Ticket)
  case housekeeping
  /// The time for jobs to end after a stop request is over.
  case stopDeadline
}

/// A binary heap of events by their time. An event whose subject is gone is simply ignored when it is due.
struct Timers {
  private var heap: [(due: Instant, event: TimerEvent)] = []

  var nextDue: Instant? { heap.first?.due }

  mutating func schedule(_ event: TimerEvent, at due: Instant) {
    heap.append((due, event))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].due < heap[parent].due else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes out the earliest event that is due; nil when none is.
  mutating func popDue(_ now: Instant) -> TimerEvent? {
    guard let first = heap.first, first.due <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sink()
    return first.event
  }

  private mutating func sink() {
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
