internal import Encoding

/// An account that the agent knows, and how its session stands. Told without asking any server.
public struct Account: Sendable, Hashable {
  /// How a session stands.
  public enum State: String, Sendable, Hashable, CaseIterable {
    case signedOut = "signed_out"
    case signingIn = "signing_in"
    /// There is an access token that is good.
    case active
    /// There is a grant; an access token is got when one is asked for.
    case stale
    case refreshing
    /// The grant is gone: only a sign-in helps.
    case expired
    case locked
    /// The last refresh failed for a reason that passes.
    case offline
  }

  /// Its name, which is this user's own choice.
  public var name: String

  /// Whether it is the one that is meant where none is named.
  public var isActive: Bool

  /// The authorization server's issuer identifier.
  public var issuer: String

  /// nil for a state that this version does not know.
  public var state: State?

  /// Puts an account together, for a ``SessionContainer`` of your own and for tests.
  public init(name: String, isActive: Bool, issuer: String, state: State?) {
    self.name = name
    self.isActive = isActive
    self.issuer = issuer
    self.state = state
  }

  init?(_ json: JSON) {
    guard let name = json["name"]?.string, let issuer = json["issuer"]?.string else { return nil }
    self.init(
      name: name, isActive: json["active"]?.bool == true, issuer: issuer,
      state: json["state"]?.string.flatMap { State(rawValue: $0) })
  }
}
