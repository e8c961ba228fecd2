internal import Encoding
internal import Wire

/// An account of the agent with the state of its session, without a request to any server.
public struct Account: Sendable, Hashable {
  /// The state of a session.
  public enum State: String, Sendable, Hashable, CaseIterable {
    case signedOut = "signed_out"
    case signingIn = "signing_in"
    /// There is a valid access token.
    case active
    /// There is a grant; the next request gets an access token.
    case stale
    case refreshing
    /// The grant is gone: only a sign-in helps.
    case expired
    case locked
    /// The last refresh failed for a temporary reason.
    case offline
    /// The vault cannot be read, so it is not known whether there is a session.
    case unreadable
  }

  /// Its name, chosen by this user.
  public var name: String

  /// Whether it is the active account, which a request without an account uses.
  public var isActive: Bool

  /// The authorization server's issuer identifier.
  public var issuer: String

  /// nil for a state that this version does not know.
  public var state: State?

  /// Makes an account, for a ``SessionContainer`` of your own and for tests.
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
