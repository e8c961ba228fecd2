import Platform

/// What one user gave one client, or what a client has for itself. All tokens that descend from it
/// end with it.
struct Grant: Sendable, Hashable {
  static let targetFailure = OAuthFailure(.invalidTarget, "a target that was not granted")

  let clientID: String
  /// Nil when there is no user (RFC 6749 section 4.4).
  let username: String?
  let scope: ScopeSet
  /// When the user signed in, in unix seconds.
  let authTime: Int
  /// How the user signed in (OpenID Connect Core 1.0 section 2); nil when nobody asked.
  var acr: String?
  /// Resources and audiences that tokens may be for; empty for any (RFC 8707 section 2.2).
  var targets: [String] = []
  /// The number of the refresh token that is good now; earlier ones were replaced.
  var sequence: UInt64 = 0
  /// When the refresh token was last replaced.
  var rotatedAt: Instant?
  /// When the refresh token of now dies; nil when the grant has none.
  var refreshTokenExpiresAt: Instant?
  /// The key that refresh tokens of a public client are bound to (RFC 9449 section 5).
  var dpopThumbprint: String?

  /// The user's identifier in tokens, which is not the name that they type; else the client's
  /// (RFC 9068 section 2.2).
  var subject: String { username.map(Self.subject) ?? clientID }

  static func subject(_ username: String) -> String { "user-\(username)" }

  /// Whether the refresh token may be used with this key.
  func takes(_ thumbprint: String?) -> Bool { dpopThumbprint == nil || thumbprint == dpopThumbprint }

  func covers(_ wanted: [String]) -> Bool {
    targets.isEmpty || wanted.allSatisfy(targets.contains)
  }
}
