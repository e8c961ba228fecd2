internal import Platform

/// The unused handles, each with the connection of its last request.
final class HandlePool: Sendable {
  /// The largest number of handles. Each has three or four descriptors.
  static let capacity = 32
  /// The longest time that a handle is kept. Servers close idle connections after a minute or two.
  static let idleTime = Duration.seconds(90)
  /// The time after which a connection may be just about to be closed. No server in use closes one that was idle for less,
  /// but for those that close each after its answer.
  static let moment = Duration.seconds(2)
  /// The time in which such a server has closed it.
  static let closing = Duration.milliseconds(100)

  private struct Entry: Sendable {
    let handle: CurlHandle
    let route: Route
    let since: ContinuousClock.Instant
    /// The server has left the connection open after an answer, since there was a second one.
    let hasLasted: Bool

    /// Whether a request that cannot be repeated may use the connection.
    func isSafe(_ now: ContinuousClock.Instant) -> Bool {
      let idle = since.duration(to: now)
      return idle <= HandlePool.moment && (hasLasted || idle >= HandlePool.closing)
    }
  }

  // Oldest first.
  private let idle = Monitor<[Entry]>([])

  var count: Int { idle.withLock { $0.count } }

  /// Takes the handle last used for exactly this route. Handles whose connection was closed, or received bytes meanwhile, are
  /// closed.
  ///
  /// - Parameter onceOnly: For a request that cannot be repeated: one whose connection the server is not about to close.
  func take(for route: Route, onceOnly: Bool = false, now: ContinuousClock.Instant = .now) -> CurlHandle? {
    close(idleFor: Self.idleTime, now: now)
    while true {
      let handle = idle.withLock { entries -> CurlHandle? in
        guard let index = entries.lastIndex(where: { $0.route == route && (!onceOnly || $0.isSafe(now)) }) else {
          return nil
        }
        return entries.remove(at: index).handle
      }
      // Bytes that arrived while no request was under way could be taken for the answer to the next one.
      guard let handle, !handle.isQuiet else { return handle }
    }
  }

  /// Keeps a handle after a successful request. If there are too many the oldest is closed.
  ///
  /// - Parameter hasLasted: The request went over a connection that was kept from one before.
  func give(_ handle: CurlHandle, for route: Route, hasLasted: Bool = false, now: ContinuousClock.Instant = .now) {
    let oldest = idle.withLock { entries -> Entry? in
      entries.append(Entry(handle: handle, route: route, since: now, hasLasted: hasLasted))
      return entries.count > Self.capacity ? entries.removeFirst() : nil
    }
    // Closing a connection takes time, so it happens outside the lock.
    _ = oldest
  }

  /// Closes the handles that were idle for `duration`.
  func close(idleFor duration: Duration, now: ContinuousClock.Instant = .now) {
    let old = idle.withLock { entries -> [Entry] in
      let count = entries.prefix { $0.since.duration(to: now) >= duration }.count
      let old = Array(entries.prefix(count))
      entries.removeFirst(count)
      return old
    }
    _ = old
  }
}
