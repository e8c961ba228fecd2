import Platform

/// What one user gave one client, or what a client has for itself. All tokens that descend from it end with it.
struct IssuerGrant: Sendable {
  let clientID: String
  /// Nil when there is no user (RFC 6749 section 4.4).
  var username: String?
  /// The subject of the assertion that it was given for (RFC 7523 section 2.1).
  var assertedSubject: String?
  let scope: [String]
  /// When the user signed in, in unix seconds.
  var authTime: Int
  /// How the user signed in (OpenID Connect Core 1.0 section 2); nil when that was not asked.
  var acr: String?
  /// Resources and audiences that tokens may be for; empty for any (RFC 8707 section 2.2).
  let targets: [String]
  /// The number of the refresh token that is good now; earlier ones were replaced.
  var sequence = 0
  /// When the refresh token was last replaced.
  var rotatedAt: Instant?
  /// When the refresh token of now dies; nil when the grant has none.
  var refreshTokenExpiresAt: Instant?
  /// The key that refresh tokens of a public client are bound to (RFC 9449 section 5).
  var dpopThumbprint: String?

  /// The user's identifier in tokens, or that of an assertion; else the client's (RFC 9068 section 2.2).
  var subject: String { username.map(User.subject) ?? assertedSubject ?? clientID }

  func cover(_ wanted: [String]) throws {
    try check(targets.isEmpty || wanted.allSatisfy(targets.contains), "invalid_target", "a target that was not granted")
  }
}

/// An access token.
struct IssuedAccess: Sendable {
  let grantKey: String
  /// The client that got it, which may be another one than the grant's after an exchange.
  let clientID: String
  let scope: [String]
  /// Empty for all that the issuer serves itself.
  let audience: [String]
  /// Unix seconds.
  let issuedAt: Int
  /// In seconds; nil for one that does not expire.
  let lifetime: Int?
  let expiresAt: Instant
  /// The key that it is bound to (RFC 9449 section 6); nil for a Bearer token.
  let dpopThumbprint: String?
  /// The party that acts for the user (RFC 8693 section 4.1).
  var actor: String?

  var type: String { dpopThumbprint == nil ? "Bearer" : "DPoP" }
}

/// Grants and their access tokens; more than the tables hold push out the oldest.
struct TokenStore: Sendable {
  var grants = BoundedTable<IssuerGrant>(capacity: 10_000)
  var access = BoundedTable<IssuedAccess>(capacity: 50_000)

  /// The access token and its grant while both are good.
  func good(_ text: String, at now: Instant) -> (token: IssuedAccess, grant: IssuerGrant)? {
    guard let token = access[text], let grant = grants[token.grantKey], token.expiresAt > now else { return nil }
    return (token, grant)
  }
}
