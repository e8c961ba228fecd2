/// When to poll the token endpoint next (RFC 8628 section 3.5). Pure state: it never sleeps and has no clock.
///
/// Times are milliseconds since the device authorization response was asked for, on a clock that counts
/// suspend, so that a machine that slept past the deadline learns of it at once.
package struct DevicePolling: Sendable, Hashable {
  package enum Next: Sendable, Hashable {
    /// Poll after this wait.
    case poll(afterMilliseconds: Int)
    /// The code expires before the next poll would be due; no further poll.
    case expire(afterMilliseconds: Int)
  }

  /// The longest wait that failures alone lead to, in seconds.
  private static let longestBackOff = 60
  /// The time that is left for the answer to the only poll, in milliseconds: this long, but a quarter of the lifetime at
  /// most.
  private static let longestReserve = 10_000

  private let expiresIn: Int
  /// The interval between polls, in seconds, with all increases for `slow_down`.
  package private(set) var interval: Int
  private var backOff: Int?
  private var askedWait = 0
  private var slowDowns = 0
  private var hasPolled = false

  /// - Parameters:
  ///   - interval: Seconds between polls; less than 1 means 5.
  ///   - expiresIn: The lifetime of the code in seconds.
  package init(interval: Int, expiresIn: Int) {
    let usable = interval > 0 ? interval : DeviceAuthorizationResponse.usualInterval
    self.interval = min(usable, DeviceAuthorizationResponse.longestInterval)
    self.expiresIn = max(0, min(expiresIn, Seconds.longest))
  }

  package init(_ response: DeviceAuthorizationResponse) {
    self.init(interval: response.interval, expiresIn: response.expiresIn)
  }

  /// Adjusts the interval after the last poll.
  package mutating func after(_ outcome: DevicePollOutcome) {
    hasPolled = true
    switch outcome {
    case .token, .pending: resetBackOff()
    case .slowDown(let asked):
      resetBackOff()
      // Five seconds more, for good; GitHub names the new interval, and the greater one counts.
      let next = max(interval + 5, asked ?? 0)
      interval = min(next, DeviceAuthorizationResponse.longestInterval)
      slowDowns += slowDowns < 3 ? 1 : 0
    case .transient(let error):
      backOff = max(interval, min(Self.longestBackOff, 2 * (backOff ?? interval)))
      askedWait = error.retryAfterSeconds ?? 0
    }
  }

  /// The wait before the next poll. A clock that runs fast, as in some virtual machines, makes a server
  /// complain about an interval that was kept, so after the first complaint waits are 40 % longer.
  package var waitMilliseconds: Int {
    let seconds = max(backOff ?? interval, askedWait)
    return slowDowns == 0 ? seconds * 1000 : seconds * 1400
  }

  /// This machine's clock probably runs fast: the server complained three times.
  package var suspectsFastClock: Bool { slowDowns >= 3 }

  /// The next action. There is a wait before the first poll too, and no poll at or after the expiry.
  ///
  /// The interval is one between polls, so a code that lives no longer than it is polled once, as late as leaves time
  /// for the answer: the person has until then.
  package func next(elapsedMilliseconds: Int) -> Next {
    let left = max(0, expiresIn * 1000 - max(0, elapsedMilliseconds))
    if waitMilliseconds < left { return .poll(afterMilliseconds: waitMilliseconds) }
    guard !hasPolled, left > 0 else { return .expire(afterMilliseconds: left) }
    return .poll(afterMilliseconds: max(0, left - min(Self.longestReserve, expiresIn * 250)))
  }

  private mutating func resetBackOff() {
    backOff = nil
    askedWait = 0
  }
}

/// The result of one poll of the token endpoint (RFC 8628 section 3.5). All other results end the sign-in and are
/// thrown.
package enum DevicePollOutcome: Sendable {
  case token(TokenEndpointAnswer)
  /// `authorization_pending`: the user has not decided yet.
  case pending
  /// `slow_down`, with the interval that some servers name, in seconds.
  case slowDown(interval: Int?)
  /// No answer, or a server in trouble. Poll again, less often.
  case transient(OAuthError)
}
