import Platform

/// What one user gave one client. All tokens that descend from it end with it.
struct Grant: Sendable, Hashable {
  let clientID: String
  let username: String
  let scope: ScopeSet
  /// When the user signed in, in unix seconds.
  let authTime: Int
  /// How the user signed in (OpenID Connect Core 1.0 section 2); nil when nobody asked.
  var acr: String?
  /// The number of the refresh token that is good now; earlier ones were replaced.
  var sequence: UInt64 = 0
  /// When the refresh token was last replaced.
  var rotatedAt: Instant?
  /// When the refresh token of now dies; nil when the grant has none.
  var refreshTokenExpiresAt: Instant?

  /// The user's identifier in tokens, which is not the name that they type.
  var subject: String { Self.subject(username) }

  static func subject(_ username: String) -> String { "user-\(username)" }
}
