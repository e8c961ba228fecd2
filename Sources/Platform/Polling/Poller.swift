internal import CPlatform
internal import Glibc

/// Waits for many descriptors at once (`epoll(7)`, level-triggered). Remove a descriptor before closing it, since a
/// duplicate would remain in the set.
package struct Poller: ~Copyable, Sendable {
  /// Closing of the other end is always reported.
  package enum Interest: Sendable {
    case read, write, both
    /// Only errors and closing.
    case none

    var flags: UInt32 {
      switch self {
      case .read: agent_readable
      case .write: agent_writable
      case .both: agent_readable | agent_writable
      case .none: 0
      }
    }
  }

  package struct Event: Sendable, Hashable {
    /// The key passed to ``Poller/add(_:interest:key:)``.
    package var key: UInt64
    package var readable: Bool
    package var writable: Bool
    /// Whether the other end has closed or an error occurred. Bytes may still be readable.
    package var hungUp: Bool
  }

  /// The maximum number of events of one wait.
  package static let maximumEvents = 64

  private let descriptor: FileDescriptor

  /// Readable when an event waits.
  package var raw: Int32 { descriptor.raw }

  package init() throws(SystemError) {
    descriptor = FileDescriptor(owning: try SystemCall.checked(agent_epoll_create(), "epoll_create1"))
  }

  /// Throws `EEXIST` if already added, `EPERM` for a regular file.
  package borrowing func add(_ descriptor: Int32, interest: Interest, key: UInt64) throws(SystemError) {
    try SystemCall.checked(agent_epoll_add(raw, descriptor, interest.flags, key), "epoll_ctl")
  }

  /// Throws `ENOENT` if not added.
  package borrowing func modify(_ descriptor: Int32, interest: Interest, key: UInt64) throws(SystemError) {
    try SystemCall.checked(agent_epoll_modify(raw, descriptor, interest.flags, key), "epoll_ctl")
  }

  package borrowing func remove(_ descriptor: Int32) throws(SystemError) {
    try SystemCall.checked(agent_epoll_remove(raw, descriptor), "epoll_ctl")
  }

  /// Waits for events. Returns none after the timeout, which is negative for no limit.
  package borrowing func wait(timeoutMilliseconds: Int32 = -1) throws(SystemError) -> [Event] {
    try wait(until: timeoutMilliseconds < 0 ? nil : .now.advanced(by: .milliseconds(timeoutMilliseconds)))
  }

  /// Waits for events until a time; nil for no limit. Returns late after a suspend, unless a ``BootTimer`` expires.
  package borrowing func wait(until deadline: Instant?) throws(SystemError) -> [Event] {
    while true {
      let limit = deadline.map { Instant.now.millisecondsUntil($0) } ?? -1
      var events: [Event] = []
      let result = wait(milliseconds: limit, into: &events)
      if result == -EINTR { continue }
      try SystemCall.checked(result, "epoll_wait")
      if result == 0, let deadline, Instant.now < deadline { continue }
      return events
    }
  }

  /// Replaces the content of `events`. If `waits` is false, returns at once, otherwise after the first events.
  package borrowing func wait(into events: inout [Event], waits: Bool = true) throws(SystemError) {
    events.removeAll(keepingCapacity: true)
    var result: Int32
    repeat { result = wait(milliseconds: waits ? -1 : 0, into: &events) } while result == -EINTR
    try SystemCall.checked(result, "epoll_wait")
  }

  /// Returns the number of events, or a negated error number.
  private borrowing func wait(milliseconds: Int32, into events: inout [Event]) -> Int32 {
    let poller = raw
    return unsafe withUnsafeTemporaryAllocation(of: agent_event.self, capacity: Self.maximumEvents) { found in
      let count = unsafe agent_epoll_wait(poller, found.baseAddress!, Int32(found.count), milliseconds)
      for index in 0..<Int(max(0, count)) {
        let (key, flags) = unsafe (found[index].key, found[index].flags)
        events.append(
          Event(
            key: key, readable: flags & agent_readable != 0, writable: flags & agent_writable != 0,
            hungUp: flags & agent_hung_up != 0))
      }
      return count
    }
  }
}
