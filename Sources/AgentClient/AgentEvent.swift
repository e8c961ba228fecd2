internal import Wire

/// Something that happened to a session or to the accounts.
public struct AgentEvent: Sendable, Hashable {
  /// Each with what goes with it; times are in seconds since 1970-01-01T00:00:00Z.
  public enum Kind: Sendable, Hashable {
    case signedIn(expiresAt: Int?)
    /// - Parameter cause: A word of agentd(8), such as `user`, `expired` or `revoked`.
    case signedOut(cause: String)
    /// There is a new token.
    case refreshed(expiresAt: Int?)
    /// No new token could be got; what helps stands with it.
    case refreshFailed(AgentError.Remedy, code: String)
    /// The token at hand is about to end and nobody has got a new one. One that is not renewable ends the session.
    case expiring(at: Int, isRenewable: Bool)
    case expired(at: Int, isRenewable: Bool)
    /// The server cannot be reached; what was got before goes on.
    case offline(code: String)
    case online
    case locked
    case unlocked
    case accountAdded
    case accountRemoved
    case accountRenamed(from: String)
    /// The account is the active one now; without an account there is none.
    case activeChanged
  }

  /// When, in seconds since 1970-01-01T00:00:00Z.
  public var time: Int

  /// nil where no account is meant.
  public var account: String?

  /// What happened.
  public var kind: Kind

  /// Puts an event together, for tests.
  public init(time: Int, account: String?, kind: Kind) {
    self.time = time
    self.account = account
    self.kind = kind
  }

  init(_ entry: SessionEntry) {
    self.init(time: entry.time, account: entry.account, kind: Kind(entry.event))
  }
}

extension AgentEvent.Kind {
  fileprivate init(_ event: SessionEvent) {
    self =
      switch event {
      case .signedIn(let expiry): .signedIn(expiresAt: expiry)
      case .signedOut(let cause): .signedOut(cause: cause.rawValue)
      case .refreshed(let expiry): .refreshed(expiresAt: expiry)
      case .refreshFailed(let code): .refreshFailed(AgentError.Remedy(code), code: code.rawValue)
      case .expiring(let expiry, let isRenewable): .expiring(at: expiry, isRenewable: isRenewable)
      case .expired(let expiry, let isRenewable): .expired(at: expiry, isRenewable: isRenewable)
      case .offline(let code): .offline(code: code.rawValue)
      case .online: .online
      case .locked: .locked
      case .unlocked: .unlocked
      case .accountAdded: .accountAdded
      case .accountRemoved: .accountRemoved
      case .accountRenamed(let name): .accountRenamed(from: name)
      case .activeChanged: .activeChanged
      }
  }
}
