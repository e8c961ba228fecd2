import Platform

/// One device authorization, from its request until its code is used (RFC 8628 section 3).
struct DeviceGrant: Sendable {
  enum Decision: Sendable, Hashable {
    case pending
    case approved(username: String, authTime: Int)
    case denied
  }

  let deviceCode: OpaqueKey
  let userCode: UserCode
  let clientID: String
  let scope: ScopeSet
  let targets: [String]
  let expiresAt: Instant
  var decision = Decision.pending
  /// The least time between two polls.
  var interval: Duration
  var lastPoll: Instant?

  /// Clients measure the interval between their sends; the network may bring two closer together.
  private static let tolerance = Duration.milliseconds(100)

  /// Notes a poll. False when it came too early: then the interval has grown by five seconds
  /// (RFC 8628 section 3.5).
  mutating func notePoll(at now: Instant) -> Bool {
    let isTimely = lastPoll.map { $0.duration(to: now) + Self.tolerance >= interval } ?? true
    lastPoll = now
    if !isTimely { interval += .seconds(5) }
    return isTimely
  }
}
