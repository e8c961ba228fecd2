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
  /// The key that it is bound to, the `jkt` of its `cnf` (RFC 9449 section 6); nil for a Bearer token.
  var dpopThumbprint: String?
}
