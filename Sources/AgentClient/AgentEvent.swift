internal import Wire

/// An event of a session or of the accounts.
public struct AgentEvent: Sendable, Hashable {
  /// The kinds of events. Times are in Unix seconds.
  public enum Kind: Sendable, Hashable {
    /// A user or the client has signed in. `expiresAt` is the access token's expiry, if known. `isGuest` is true for a
    /// guest's session, `wasGuest` if the account had one before.
    case signedIn(expiresAt: Int?, isGuest: Bool = false, wasGuest: Bool = false)
    /// The session has ended. `cause` is as in agent-protocol(7), such as `user`, `expired` or `revoked`.
    case signedOut(cause: String)
    /// The session got a new token. `expiresAt` is nil if unknown.
    case refreshed(expiresAt: Int?)
    /// A refresh failed, with an ``AgentError``'s remedy and code.
    case refreshFailed(AgentError.Remedy, code: String)
    /// The cached token expires soon and was not renewed. Unless renewable, its expiry ends the session.
    case expiring(at: Int, isRenewable: Bool)
    /// The cached token has expired. Unless it is renewable, the session has ended.
    case expired(at: Int, isRenewable: Bool)
    /// The session ends at this time unless the user signs in again.
    case sessionExpiring(at: Int)
    /// The server is unreachable; `code` is the reason. The agent still returns the cached token.
    case offline(code: String)
    /// The server is reachable again.
    case online
    case locked
    case unlocked
    case accountAdded
    case accountRemoved
    case accountRenamed(from: String)
    /// Another account, or none, is now the active one.
    case activeChanged

    fileprivate init(_ event: SessionEvent) {
      let end = event.expiresAt
      let code = event.failure?.code ?? .internalError
      self =
        switch event.name {
        case .signedIn: .signedIn(expiresAt: end, isGuest: event.isGuest, wasGuest: event.wasGuest)
        case .signedOut: .signedOut(cause: event.cause?.rawValue ?? "")
        case .refreshed: .refreshed(expiresAt: end)
        case .refreshFailed: .refreshFailed(AgentError.Remedy(code), code: code.rawValue)
        case .expiring: .expiring(at: end ?? 0, isRenewable: event.isRenewable ?? false)
        case .expired: .expired(at: end ?? 0, isRenewable: event.isRenewable ?? false)
        case .sessionExpiring: .sessionExpiring(at: end ?? 0)
        case .offline: .offline(code: code.rawValue)
        case .online: .online
        case .locked: .locked
        case .unlocked: .unlocked
        case .accountAdded: .accountAdded
        case .accountRemoved: .accountRemoved
        case .accountRenamed: .accountRenamed(from: event.formerName ?? "")
        case .activeChanged: .activeChanged
        }
    }
  }

  /// The time, in Unix seconds.
  public var time: Int

  /// The account, if the event is about one.
  public var account: String?

  /// The kind of event.
  public var kind: Kind

  /// Creates an event, for tests.
  public init(time: Int, account: String?, kind: Kind) {
    self.time = time
    self.account = account
    self.kind = kind
  }

  init(_ entry: SessionEntry) {
    self.init(time: entry.time, account: entry.account, kind: Kind(entry.event))
  }
}
