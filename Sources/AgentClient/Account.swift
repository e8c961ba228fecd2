internal import Encoding
internal import Wire

/// An account and its session's state, as known without contacting a server.
public struct Account: Sendable, Hashable {
  /// The state of a session.
  public enum State: String, Sendable, Hashable, CaseIterable {
    case signedOut = "signed_out"
    case signingIn = "signing_in"
    /// The access token is valid.
    case active
    /// The next request renews the access token.
    case stale
    case refreshing
    /// The user must sign in again.
    case expired
    case locked
    /// The latest refresh failed for a temporary reason.
    case offline
    /// The session was only an unstored access token, now lost. The user must sign in again.
    case notKept = "not_kept"
    /// Unknown, because the vault is unreadable.
    case unreadable
  }

  /// The name that the user chose.
  public var name: String

  /// Whether requests use this account by default.
  public var isActive: Bool

  /// The authorization server's issuer identifier.
  public var issuer: String

  /// The session's state; nil for a state that this version of the library does not know.
  public var state: State?

  /// The user's email address or name in the verified ID Token, if known. For display only; see ``User/subject``.
  public var person: String?

  /// Whether the client signed in as itself, without a user.
  public var isGuest: Bool

  /// Whether account and session exist only in the agent's memory.
  public var isEphemeral: Bool

  /// Why the session is ``State/unreadable``; otherwise nil.
  public var problem: AgentError?

  /// The administrator's file for accounts of this name, if any.
  public var preset: Preset?

  /// An administrator's file for an account, and how the settings differ.
  public struct Preset: Sendable, Hashable {
    /// The file's path.
    public var file: String

    /// The names of the settings with the file's values.
    public var unchanged: [String]

    /// The names of the settings that the user changed.
    public var changed: [String]

    /// Creates a preset, for your own ``SessionContainer`` and for tests.
    public init(file: String, unchanged: [String] = [], changed: [String] = []) {
      (self.file, self.unchanged, self.changed) = (file, unchanged, changed)
    }

    init?(_ json: JSON) {
      guard let file = json["file"]?.string else { return nil }
      func names(_ name: String) -> [String] { (json[name]?.array ?? []).compactMap(\.string) }
      self.init(file: file, unchanged: names("unchanged"), changed: names("changed"))
    }
  }

  /// Creates an account, for your own ``SessionContainer`` and for tests.
  public init(
    name: String, isActive: Bool, issuer: String, state: State?, person: String? = nil, isGuest: Bool = false,
    isEphemeral: Bool = false, problem: AgentError? = nil, preset: Preset? = nil
  ) {
    self.name = name
    self.isActive = isActive
    self.issuer = issuer
    self.state = state
    self.person = person
    self.isGuest = isGuest
    self.isEphemeral = isEphemeral
    self.problem = problem
    self.preset = preset
  }

  /// Parses an element of the response to `list`; nil without name or issuer.
  init?(_ json: JSON) {
    guard let name = json[.name]?.string, let issuer = json[.issuer]?.string else { return nil }
    self.init(
      name: name, isActive: json[.active]?.bool == true, issuer: issuer,
      state: json[.state]?.string.flatMap { State(rawValue: $0) }, person: json[.person]?.string,
      isGuest: json[.guest]?.bool == true, isEphemeral: json[.ephemeral]?.bool == true,
      problem: json[.problem].flatMap { Failure(json: $0) }.map { AgentError($0) },
      preset: json[.preset].flatMap(Preset.init))
  }
}
