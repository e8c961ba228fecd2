internal import OAuth
package import Platform
internal import Vocabulary

/// A server that is in trouble, or wants fewer requests, gets no request before this time.
package struct ServerHold: Sendable, Hashable {
  package let until: Instant
  /// It named the time itself.
  let isNamed: Bool
  /// The error that the server sent.
  let error: OAuthError

  /// Whether a caller may ask the server all the same: one who insists, where it named no time.
  func yields(to need: TokenNeed) -> Bool { need.forceRefresh && !isNamed }

  /// The failure of those who would have asked it now, with the time to wait.
  func refusal(at now: Instant) -> SessionError {
    SessionError.oauth(error).asking(toWait: now.duration(to: until))
  }
}

/// A refresh brought an ID Token that the issuer's keys do not verify yet. Before they may be fetched again another refresh
/// token of the account, for whatever target, would be spent in vain.
struct AwaitedKeys: Sendable {
  /// The settings and the record's generation of that refresh. Under others, such as after a sign-in, nothing is waited
  /// for.
  let configuration: AccountConfiguration
  let generation: UInt64
  let hold: ServerHold
}

/// The servers that get no request for a while, so that an answer to one account also holds for the others.
package struct ServerHolds: Sendable {
  private struct State {
    var hold: ServerHold
    var episodes: Int
  }

  private var states: [String: State] = [:]

  /// Servers beside these are forgotten, those that may be asked again for longest first.
  private static let mostServers = 256

  package init() {}

  /// The hold of a server; nil when it may be asked.
  package func hold(of server: String, now: Instant) -> ServerHold? {
    guard let hold = states[server]?.hold, now < hold.until else { return nil }
    return hold
  }

  /// Takes in why a refresh failed.
  ///
  /// A server that answers 429 or 503, or names a time, is left alone for that time (RFC 9110, section 10.2.3),
  /// or, where it names none, for five seconds, doubling up to five minutes.
  ///
  /// - Parameter jitter: 0..<1, from the random generator.
  package mutating func note(_ failure: SessionError, of server: String, now: Instant, jitter: Double) {
    guard case .oauth(let error) = failure, error.requiresHold else { return }
    let known = states[server]
    // Answers to requests that were on their way say nothing new.
    let isNew = known.map { $0.hold.until <= now } ?? true
    let episodes = (known?.episodes ?? 0) + (isNew ? 1 : 0)
    let wait =
      error.retryAfterSeconds.map { Duration.seconds($0) }
      ?? .seconds(min(300, 5 << min(episodes - 1, 6))) * (0.5 + 0.5 * jitter)
    let until = max(known?.hold.until ?? now, now.advanced(by: wait))
    states[server] = State(
      hold: ServerHold(until: until, isNamed: error.retryAfterSeconds != nil, error: error), episodes: episodes)
    if states.count > Self.mostServers, let oldest = states.min(by: { $0.value.hold.until < $1.value.hold.until })?.key
    {
      states[oldest] = nil
    }
  }

  /// A refresh at this server succeeded.
  package mutating func succeeded(at server: String) {
    if !states.isEmpty { states[server] = nil }
  }
}

extension OAuthError {
  /// Whether the server asks all clients, and not this one only, to send fewer requests.
  fileprivate var requiresHold: Bool {
    // Keys or metadata may come from another server; errors about them are reported where they are fetched.
    guard code.meaning == .passing, subject == .endpoint(.token) else { return false }
    return retryAfterSeconds != nil || code == .rateLimited || httpStatus == 429 || httpStatus == 503
  }
}

extension AccountConfiguration {
  /// Identifies the token endpoint that accounts share.
  package var server: String { self.tokenEndpoint ?? issuer }
}
