package import Platform

/// One thread that waits for descriptors, timers and workers, and never blocks on any of them.
package final class EventLoop {
  private struct Source {
    let descriptor: Int32
    let handle: (Poller.Event) -> Void
  }

  private let poller: Poller
  /// Other threads post their results here.
  package let inbox: Inbox
  private let timer: BootTimer
  private let time: any TimeSource
  private var timers = Timers<() -> Void>()
  private var sources: [UInt64: Source] = [:]
  private var lastKey: UInt64 = 0
  /// Time that the timer descriptor is set to; nil if it is not set.
  private var armed: Instant?
  /// Time at which the loop last woke up.
  package private(set) var now: Instant

  package init(_ time: any TimeSource) throws(SystemError) {
    poller = try Poller()
    inbox = try Inbox()
    timer = try BootTimer()
    self.time = time
    now = time.now()
    try watch(inbox.raw) { [inbox] _ in for act in inbox.takeAll() { act() } }
    try watch(timer.raw) { [unowned self] _ in
      timer.drain()
      armed = nil
    }
  }

  /// Handles events until `isDone` is true, which is asked before each wait.
  package func run(until isDone: () -> Bool) throws(SystemError) {
    var events: [Poller.Event] = []
    var due: [() -> Void] = []
    while !isDone() {
      let isDue = timers.nextDue.map { $0 <= now } ?? false
      if !isDue { try arm() }
      try poller.wait(into: &events, waits: !isDue)
      now = time.now()
      for event in events { sources[event.key]?.handle(event) }
      // What these schedule for now waits for the next round, so that descriptors have their turn.
      due.removeAll(keepingCapacity: true)
      while let act = timers.popDue(now) { due.append(act) }
      for act in due { act() }
    }
  }

  /// Wakes the loop at the earliest time that matters. A timer that is set too early only costs one
  /// round, so it is left alone then: most requests come and go without touching it.
  private func arm() throws(SystemError) {
    let due = timers.nextDue ?? .distantFuture
    if let armed, armed <= due { return }
    try timer.set(at: due)
    armed = due
  }

  /// Calls `act` at `due`, or at the next round if that has passed.
  package func schedule(at due: Instant, _ act: @escaping () -> Void) { timers.schedule(act, at: due) }

  /// Calls `handle` each time that the descriptor is ready. Remove it before it is closed.
  ///
  /// - Returns: The key of the descriptor, which no other ever gets.
  @discardableResult
  package func watch(
    _ descriptor: Int32, for interest: Poller.Interest = .read, _ handle: @escaping (Poller.Event) -> Void
  ) throws(SystemError) -> UInt64 {
    lastKey += 1
    try poller.add(descriptor, interest: interest, key: lastKey)
    sources[lastKey] = Source(descriptor: descriptor, handle: handle)
    return lastKey
  }

  /// Changes what is waited for; nothing if the key was removed.
  package func setInterest(_ interest: Poller.Interest, of key: UInt64) {
    if let source = sources[key] { try? poller.modify(source.descriptor, interest: interest, key: key) }
  }

  package func unwatch(_ key: UInt64) {
    if let source = sources.removeValue(forKey: key) { try? poller.remove(source.descriptor) }
  }
}
