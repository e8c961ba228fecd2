internal import OAuth
package import Platform

/// A pause in requests to a server.
package struct ServerPause: Sendable, Hashable {
  package let until: Instant
  let isSetByServer: Bool
  let error: OAuthError

  /// Whether a caller may contact the server anyway.
  func mayBeIgnored(for need: TokenNeed) -> Bool { need.forceRefresh && !isSetByServer }

  /// The error for callers, with the remaining time.
  func refusal(at now: Instant) -> SessionError {
    SessionError.oauth(error).asking(toWait: now.duration(to: until))
  }
}

/// A refresh that waits for newer keys to verify its ID Token. Another refresh until then would waste a refresh token.
struct RefreshAwaitingKeys: Sendable {
  /// The wait ends if the settings or the record change.
  let configuration: AccountConfiguration
  /// The record's generation.
  let generation: UInt64
  let pause: ServerPause
}

/// The paused servers. One account's response pauses a server for all accounts.
package struct ServerPauses: Sendable {
  private struct State {
    var pause: ServerPause
    var consecutivePauses: Int
  }

  /// Keyed by ``AccountConfiguration/serverIdentifier``.
  private var states: [String: State] = [:]

  private static let maximumServers = 256

  package init() {}

  package func pause(of server: String, now: Instant) -> ServerPause? {
    guard let pause = states[server]?.pause, now < pause.until else { return nil }
    return pause
  }

  /// Records a failed refresh. Pauses a server that specifies a time, or responds with 429 or 503, for that time (RFC
  /// 9110, section 10.2.3), or else for five seconds, doubling up to five minutes. `jitter` is random in 0..<1.
  package mutating func recordFailure(_ failure: SessionError, of server: String, now: Instant, jitter: Double) {
    guard case .oauth(let error) = failure, error.requiresPause else { return }
    let known = states[server]
    // Ignores responses to requests sent before the pause.
    let isNew = known.map { $0.pause.until <= now } ?? true
    let consecutivePauses = (known?.consecutivePauses ?? 0) + (isNew ? 1 : 0)
    let wait =
      error.retryAfterSeconds.map { Duration.seconds($0) }
      ?? .seconds(min(300, 5 << min(consecutivePauses - 1, 6))) * (0.5 + 0.5 * jitter)
    let until = max(known?.pause.until ?? now, now.advanced(by: wait))
    states[server] = State(
      pause: ServerPause(until: until, isSetByServer: error.retryAfterSeconds != nil, error: error),
      consecutivePauses: consecutivePauses)
    if states.count > Self.maximumServers,
      let oldest = states.min(by: { $0.value.pause.until < $1.value.pause.until })?.key
    {
      states[oldest] = nil
    }
  }

  /// Ends the pause after a successful refresh.
  package mutating func recordSuccess(at server: String) {
    if !states.isEmpty { states[server] = nil }
  }
}

extension OAuthError {
  fileprivate var requiresPause: Bool {
    // Keys or metadata may come from another server.
    guard code.effect == .temporary, subject == .endpoint(.token) else { return false }
    return retryAfterSeconds != nil || code == .rateLimited || httpStatus == 429 || httpStatus == 503
  }
}

extension AccountConfiguration {
  /// The token endpoint, or else the issuer, which accounts may share.
  package var serverIdentifier: String { self.tokenEndpoint ?? issuer }
}
