import Platform

/// The authorization codes that were given out, used ones included.
struct AuthorizationCodes: Sendable {
  /// More than this push out the oldest.
  static let capacity = 1000

  /// What became of a code that came to the token endpoint.
  enum Redemption: Sendable {
    case unknown
    case expired
    /// Used before, for this grant.
    case replayed(grant: OpaqueKey)
    case first(AuthorizationCode)
  }

  private var codes = BoundedTable<OpaqueKey, AuthorizationCode>(capacity: capacity)

  mutating func add(_ code: AuthorizationCode, key: OpaqueKey) {
    codes[key] = code
  }

  /// Uses a code up, whatever else is wrong with the request: nobody gets to try twice
  /// (RFC 6749 section 4.1.2). A code that belongs to another client is unknown.
  ///
  /// - Parameter grant: What the code is used for.
  mutating func redeem(_ key: OpaqueKey, clientID: String, for grant: OpaqueKey, at now: Instant) -> Redemption {
    guard var code = codes[key], code.request.clientID == clientID else { return .unknown }
    if let earlier = code.usedFor { return .replayed(grant: earlier) }
    guard code.expiresAt > now else { return .expired }
    code.usedFor = grant
    codes[key] = code
    return .first(code)
  }

  mutating func removeAll() {
    codes.removeAll()
  }
}
