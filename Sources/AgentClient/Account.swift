internal import Encoding
internal import Wire

/// An account of the agent and the state of its session, as known without contacting a server.
public struct Account: Sendable, Hashable {
  /// The state of a session.
  public enum State: String, Sendable, Hashable, CaseIterable {
    case signedOut = "signed_out"
    case signingIn = "signing_in"
    /// There is a valid access token.
    case active
    /// There is a grant, but no valid access token. The next request gets one.
    case stale
    case refreshing
    /// The grant has ended. The user must sign in again.
    case expired
    case locked
    /// The last refresh failed temporarily.
    case offline
    /// The vault is unreadable, so it is unknown whether there is a session.
    case unreadable
  }

  /// The name that the user chose.
  public var name: String

  /// Whether this is the active account, used by requests that specify none.
  public var isActive: Bool

  /// The authorization server's issuer identifier.
  public var issuer: String

  /// Nil for a state that this version does not know.
  public var state: State?

  /// Creates an account, for your own ``SessionContainer`` and for tests.
  public init(name: String, isActive: Bool, issuer: String, state: State?) {
    self.name = name
    self.isActive = isActive
    self.issuer = issuer
    self.state = state
  }

  init?(_ json: JSON) {
    guard let name = json[.name]?.string, let issuer = json[.issuer]?.string else { return nil }
    self.init(
      name: name, isActive: json[.active]?.bool == true, issuer: issuer,
      state: json[.state]?.string.flatMap { State(rawValue: $0) })
  }
}
