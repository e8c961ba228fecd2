import Platform

/// What the issuer remembers of an access token.
struct AccessToken: Sendable, Hashable {
  let grant: OpaqueKey
  let scope: ScopeSet
  /// Unix seconds.
  let issuedAt: Int
  /// In seconds; nil for one that does not expire.
  let lifetime: Int?
  /// Nil for one that does not expire.
  let expiresAt: Instant?
}
