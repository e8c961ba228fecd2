internal import Wire

/// An event of a session or of the accounts.
public struct AgentEvent: Sendable, Hashable {
  /// The kinds of events; times are in seconds since 1970-01-01T00:00:00Z.
  public enum Kind: Sendable, Hashable {
    case signedIn(expiresAt: Int?)
    /// - Parameter cause: A word of agentd(8), such as `user`, `expired` or `revoked`.
    case signedOut(cause: String)
    /// There is a new token.
    case refreshed(expiresAt: Int?)
    /// A refresh failed; the remedy is a value of it.
    case refreshFailed(AgentError.Remedy, code: String)
    /// The cached token expires soon and was not renewed. The end of one that is not renewable ends the session.
    case expiring(at: Int, isRenewable: Bool)
    case expired(at: Int, isRenewable: Bool)
    /// The session ends at this time unless the user signs in again.
    case sessionExpiring(at: Int)
    /// The server cannot be reached; the cached token is still used.
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

  /// The time, in seconds since 1970-01-01T00:00:00Z.
  public var time: Int

  /// The account; nil if the event is about none.
  public var account: String?

  /// The kind of event.
  public var kind: Kind

  /// Makes an event, for tests.
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
      case .refreshFailed(let failing):
        .refreshFailed(AgentError.Remedy(failing.code), code: failing.code.rawValue)
      case .expiring(let expiry, let isRenewable): .expiring(at: expiry, isRenewable: isRenewable)
      case .expired(let expiry, let isRenewable): .expired(at: expiry, isRenewable: isRenewable)
      case .sessionExpiring(let end): .sessionExpiring(at: end)
      case .offline(let failing): .offline(code: failing.code.rawValue)
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
