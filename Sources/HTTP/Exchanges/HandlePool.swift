internal import Platform

/// Idle handles for later requests.
final class HandlePool: Sendable {
  /// The maximum number of idle handles, each with three or four descriptors.
  static let capacity = 32
  /// Servers close idle connections after a minute or two.
  static let idleTime = Duration.seconds(90)
  /// The maximum idle time for an unrepeatable request. Few servers close sooner.
  static let safeIdleTime = Duration.seconds(2)
  /// The minimum idle time of a connection used once, for an unrepeatable request. Servers without reuse have closed it
  /// by then.
  static let singleUseIdleTime = Duration.milliseconds(100)

  private struct Entry: Sendable {
    let handle: CurlHandle
    let route: Route
    let idleSince: Instant
    /// Whether the connection served two requests, so the server reuses connections.
    let wasReused: Bool

    /// Whether an unrepeatable request may use the connection.
    func isSafe(_ now: Instant) -> Bool {
      let idle = idleSince.duration(to: now)
      return idle <= HandlePool.safeIdleTime && (wasReused || idle >= HandlePool.singleUseIdleTime)
    }
  }

  /// Oldest first.
  private let idle = Monitor<[Entry]>([])

  var count: Int { idle.withLock { $0.count } }

  /// Removes and returns the route's most recently used handle. Closes handles whose connection was closed, received
  /// bytes while idle, or has an outdated local address.
  func takeHandle(for route: Route, isUnrepeatable: Bool = false, now: Instant = .now) -> CurlHandle? {
    close(idleFor: Self.idleTime, now: now)
    while true {
      let handle = idle.withLock { entries -> CurlHandle? in
        guard let index = entries.lastIndex(where: { $0.route == route && (!isUnrepeatable || $0.isSafe(now)) }) else {
          return nil
        }
        return entries.remove(at: index).handle
      }
      // Bytes that arrived between requests could be parsed as the next response.
      guard let handle else { return nil }
      // An added or removed route changes the local address (invariant: a changed world is noticed).
      if handle.hasNoPendingInput, handle.wouldKeepLocalAddress { return handle }
    }
  }

  /// Adds a handle after a successful request. Closes the oldest beyond ``capacity``.
  func add(_ handle: CurlHandle, for route: Route, wasReused: Bool = false, now: Instant = .now) {
    let oldest = idle.withLock { entries -> Entry? in
      entries.append(Entry(handle: handle, route: route, idleSince: now, wasReused: wasReused))
      return entries.count > Self.capacity ? entries.removeFirst() : nil
    }
    // Closing takes time, so it happens outside the lock.
    _ = oldest
  }

  func close(idleFor duration: Duration, now: Instant = .now) {
    let old = idle.withLock { entries -> [Entry] in
      let count = entries.prefix { $0.idleSince.duration(to: now) >= duration }.count
      let old = Array(entries.prefix(count))
      entries.removeFirst(count)
      return old
    }
    _ = old
  }
}
