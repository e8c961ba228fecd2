/// Schedules polls (RFC 8628 section 3.5). Times are milliseconds since the device authorization request, on a clock
/// that includes suspend.
package struct DevicePolling: Sendable, Hashable {
  package enum Next: Sendable, Hashable {
    case poll(afterMilliseconds: Int)
    /// No further poll: the code expires before the next one is due.
    case expire(afterMilliseconds: Int)
  }

  /// In seconds.
  private static let maximumBackOff = 60
  /// If only one poll fits, it is sent this many milliseconds before expiry, but at most a quarter of the lifetime.
  private static let maximumReserve = 10_000

  private let expiresIn: Int
  /// Seconds between polls, including increases by `slow_down`.
  package private(set) var interval: Int
  /// The interval in seconds after a failed poll, otherwise nil.
  private var backOff: Int?
  /// Seconds requested by the server after the latest failure, or 0.
  private var requestedWait = 0
  private var slowDowns = 0
  private var hasPolled = false

  /// In seconds. Intervals below 1 are replaced by 5.
  package init(interval: Int, expiresIn: Int) {
    let usable = interval > 0 ? interval : DeviceAuthorizationResponse.defaultInterval
    self.interval = min(usable, DeviceAuthorizationResponse.maximumInterval)
    self.expiresIn = max(0, min(expiresIn, Seconds.maximum))
  }

  package init(_ response: DeviceAuthorizationResponse) {
    self.init(interval: response.interval, expiresIn: response.expiresIn)
  }

  package mutating func adjustInterval(after outcome: DevicePollOutcome) {
    hasPolled = true
    switch outcome {
    case .token, .pending: resetBackOff()
    case .slowDown(let asked):
      resetBackOff()
      // Five seconds more, or GitHub's new interval if longer.
      let next = max(interval + 5, asked ?? 0)
      interval = min(next, DeviceAuthorizationResponse.maximumInterval)
      slowDowns += slowDowns < 3 ? 1 : 0
    case .transient(let error):
      backOff = max(interval, min(Self.maximumBackOff, 2 * (backOff ?? interval)))
      requestedWait = error.retryAfterSeconds ?? 0
    }
  }

  /// The time between polls: 40 % longer after a `slow_down`, as this clock may run fast.
  package var waitMilliseconds: Int {
    let seconds = max(backOff ?? interval, requestedWait)
    return slowDowns == 0 ? seconds * 1000 : seconds * 1400
  }

  package var suspectsFastClock: Bool { slowDowns >= 3 }

  /// Every poll, even the first, waits for the interval. If only one fits, it is as late as possible.
  package func next(elapsedMilliseconds: Int) -> Next {
    let left = max(0, expiresIn * 1000 - max(0, elapsedMilliseconds))
    if waitMilliseconds < left { return .poll(afterMilliseconds: waitMilliseconds) }
    guard !hasPolled, left > 0 else { return .expire(afterMilliseconds: left) }
    return .poll(afterMilliseconds: max(0, left - min(Self.maximumReserve, expiresIn * 250)))
  }

  private mutating func resetBackOff() {
    backOff = nil
    requestedWait = 0
  }
}

/// The result of a poll (RFC 8628 section 3.5). Results that end the sign-in are thrown.
package enum DevicePollOutcome: Sendable {
  case token(TokenEndpointResponse)
  /// `authorization_pending`: the user has not decided yet.
  case pending
  /// `slow_down`, with the new interval in seconds if the server sent one.
  case slowDown(interval: Int?)
  /// No response, or a server error. Poll less often.
  case transient(OAuthError)
}
