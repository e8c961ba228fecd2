import Platform

/// What the issuer remembers of an access token.
struct AccessToken: Sendable, Hashable {
  let grant: OpaqueKey
  /// Who got it, which may be another client than the grant's after an exchange.
  let clientID: String
  let scope: ScopeSet
  /// What it is for; empty for all that the issuer serves itself.
  let audience: [String]
  /// Unix seconds.
  let issuedAt: Int
  /// In seconds; nil for one that does not expire.
  let lifetime: Int?
  /// Nil for one that does not expire.
  let expiresAt: Instant?
  /// The key that it is bound to, the `jkt` of its `cnf` (RFC 9449 section 6); nil for a Bearer token.
  var dpopThumbprint: String?
  /// Who acts for the user (RFC 8693 section 4.1).
  var actor: String?

  /// - Parameter seconds: 0 for one that does not expire.
  init(grant: OpaqueKey, _ order: TokenOrder, scope: ScopeSet, audience: [String], seconds: Int) {
    self.grant = grant
    clientID = order.clientID
    self.scope = scope
    self.audience = audience
    issuedAt = order.wall
    lifetime = seconds > 0 ? seconds : nil
    expiresAt = lifetime.map { order.now.advanced(by: .seconds($0)) }
  }
}
