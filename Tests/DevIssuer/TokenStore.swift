import Platform

/// All grants and access tokens that the issuer knows.
struct TokenStore: Sendable {
  /// Grants and access tokens beyond these push out the oldest.
  static let grantCapacity = 10_000
  static let accessTokenCapacity = 50_000

  /// What a refresh found.
  enum Refresh: Sendable, Hashable {
    case unknown
    case expired
    /// A token that was replaced before; its grant has ended.
    case reused
    case scopeTooWide
    case targetTooWide
    case renewed(Grant)
  }

  /// The rules of one refresh.
  struct RefreshRules: Sendable {
    var rotates: Bool
    /// How long the token before the last one is still taken.
    var leeway: Duration
    /// Of the new refresh token.
    var lifetime: Duration
  }

  private var grants = BoundedTable<OpaqueKey, Grant>(capacity: grantCapacity)
  private var accessTokens = BoundedTable<OpaqueKey, AccessToken>(capacity: accessTokenCapacity)

  mutating func add(_ grant: Grant, key: OpaqueKey) {
    grants[key] = grant
  }

  mutating func add(_ token: AccessToken, key: OpaqueKey) {
    accessTokens[key] = token
  }

  /// Uses a refresh token (RFC 6749 section 6). With rotation every token is good once; the second
  /// use of one ends its grant, because one of the two users must be a thief (RFC 9700 section 4.14.2).
  mutating func refresh(
    _ token: RefreshTokenMint.Content, _ order: TokenOrder, rules: RefreshRules
  ) -> Refresh {
    let now = order.now
    guard var grant = grants[token.grant], grant.clientID == order.clientID,
      let expiresAt = grant.refreshTokenExpiresAt
    else { return .unknown }
    guard token.sequence == grant.sequence || isWithinLeeway(token, of: grant, rules, at: now) else {
      grants[token.grant] = nil
      return .reused
    }
    guard expiresAt > now else { return .expired }
    guard grant.covers(order.targets) else { return .targetTooWide }
    if let scope = order.scope, !scope.isSubset(of: grant.scope) { return .scopeTooWide }
    if rules.rotates {
      grant.sequence += 1
      grant.rotatedAt = now
      grant.refreshTokenExpiresAt = now.advanced(by: rules.lifetime)
      grants[token.grant] = grant
    }
    return .renewed(grant)
  }

  /// The access token and its grant while both are good.
  func accessToken(_ key: OpaqueKey, at now: Instant) -> (token: AccessToken, grant: Grant)? {
    guard let token = accessTokens[key], let grant = grants[token.grant],
      token.expiresAt.map({ $0 > now }) ?? true
    else { return nil }
    return (token, grant)
  }

  /// The grant whose present refresh token this is, unless it expired.
  func grant(of token: RefreshTokenMint.Content, at now: Instant) -> Grant? {
    guard let grant = grants[token.grant], grant.sequence == token.sequence,
      let expiresAt = grant.refreshTokenExpiresAt, expiresAt > now
    else { return nil }
    return grant
  }

  func grant(_ key: OpaqueKey) -> Grant? { grants[key] }

  func grantKey(ofAccessToken key: OpaqueKey) -> OpaqueKey? { accessTokens[key]?.grant }

  func clientID(ofAccessToken key: OpaqueKey) -> String? { accessTokens[key]?.clientID }

  mutating func removeGrant(_ key: OpaqueKey) {
    grants[key] = nil
  }

  mutating func removeAccessToken(_ key: OpaqueKey) {
    accessTokens[key] = nil
  }

  /// Ends all that was granted to a client.
  mutating func removeGrants(of clientID: String) {
    grants.removeAll { $0.clientID == clientID }
  }

  mutating func removeAll() {
    grants.removeAll()
    accessTokens.removeAll()
  }

  private func isWithinLeeway(
    _ token: RefreshTokenMint.Content, of grant: Grant, _ rules: RefreshRules, at now: Instant
  ) -> Bool {
    guard let rotatedAt = grant.rotatedAt, grant.sequence > 0, token.sequence == grant.sequence - 1 else {
      return false
    }
    return rotatedAt.duration(to: now) < rules.leeway
  }
}
