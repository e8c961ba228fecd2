package import Platform

/// Waits on one thread for descriptors, timers and workers.
package final class EventLoop {
  private struct Source {
    let descriptor: Int32
    let handle: (Poller.Event) -> Void
  }

  private let poller: Poller
  package let inbox: Inbox
  private let timer: BootTimer
  private let time: any TimeSource
  private var timers = Timers<() -> Void>()
  private var sources: [UInt64: Source] = [:]
  private var lastKey: UInt64 = 0
  /// When the timer fires.
  private var armed: Instant?
  /// When the loop last woke up.
  package private(set) var now: Instant
  /// The longest time between two waits.
  package private(set) var longestTurn = Duration.zero

  package init(_ time: any TimeSource) throws(SystemError) {
    poller = try Poller()
    inbox = try Inbox()
    timer = try BootTimer()
    self.time = time
    now = time.now()
    try watch(inbox.raw) { [inbox] _ in for action in inbox.takeAll() { action() } }
    try watch(timer.raw) { [unowned self] _ in
      timer.drain()
      armed = nil
    }
  }

  /// Handles events until `isDone`, called before each wait, returns true.
  package func run(until isDone: () -> Bool) throws(SystemError) {
    var events: [Poller.Event] = []
    var due: [() -> Void] = []
    now = time.now()
    while !isDone() {
      let isDue = timers.nextDue.map { $0 <= now } ?? false
      if !isDue { try arm() }
      longestTurn = max(longestTurn, now.duration(to: time.now()))
      try poller.wait(into: &events, waits: !isDue)
      now = time.now()
      for event in events { sources[event.key]?.handle(event) }
      // Actions scheduled for now run in the next round, after serving descriptors.
      due.removeAll(keepingCapacity: true)
      while let action = timers.popDue(now) { due.append(action) }
      for action in due { action() }
    }
  }

  /// Sets the timer, but never to a later time, to save system calls.
  private func arm() throws(SystemError) {
    let due = timers.nextDue ?? .distantFuture
    if let armed, armed <= due { return }
    try timer.set(at: due)
    armed = due
  }

  /// Calls `action` at `due`, or in the next round if past.
  package func schedule(at due: Instant, _ action: @escaping () -> Void) { timers.schedule(action, at: due) }

  /// Calls `handle` when the descriptor is ready. Call ``unwatch(_:)`` before closing it.
  ///
  /// - Parameter key: From ``makeKey()``; nil for a new one.
  /// - Returns: The descriptor's key.
  @discardableResult
  package func watch(
    _ descriptor: Int32, as key: UInt64? = nil, for interest: Poller.Interest = .read,
    _ handle: @escaping (Poller.Event) -> Void
  ) throws(SystemError) -> UInt64 {
    let key = key ?? makeKey()
    try poller.add(descriptor, interest: interest, key: key)
    sources[key] = Source(descriptor: descriptor, handle: handle)
    return key
  }

  /// Returns a key that is never reused.
  package func makeKey() -> UInt64 {
    lastKey += 1
    return lastKey
  }

  /// Does nothing for a removed key.
  package func setInterest(_ interest: Poller.Interest, of key: UInt64) {
    if let source = sources[key] { try? poller.modify(source.descriptor, interest: interest, key: key) }
  }

  package func unwatch(_ key: UInt64) {
    if let source = sources.removeValue(forKey: key) { try? poller.remove(source.descriptor) }
  }

  /// Like ``unwatch(_:)``, without a system call: the descriptor is closed next.
  package func unwatchClosing(_ key: UInt64) { sources[key] = nil }
}
