import Platform

/// What one user gave one client. All tokens that descend from it end with it.
struct Grant: Sendable, Hashable {
  let clientID: String
  let username: String
  let scope: ScopeSet
  /// When the user signed in, in unix seconds.
  let authTime: Int
  /// The number of the refresh token that is good now; earlier ones were replaced.
  var sequence: UInt64 = 0
  /// When the refresh token was last replaced.
  var rotatedAt: Instant?
  /// When the refresh token of now dies; nil when the grant has none.
  var refreshTokenExpiresAt: Instant?

  /// The key that refresh tokens of a public client are bound to (RFC 9449 section 5).
  var dpopThumbprint: String?

  /// Refresh tokens of a client with a secret are bound to the client and to no key.
  mutating func bind(to proof: DPoPProof?, of client: RegisteredClient) {
    if client.secret == nil { dpopThumbprint = proof?.thumbprint }
  }

  /// Whether the refresh token may be used with this proof.
  func takes(_ proof: DPoPProof?) -> Bool { dpopThumbprint == nil || proof?.thumbprint == dpopThumbprint }

  /// The user's identifier in tokens, which is not the name that they type.
  var subject: String { "user-\(username)" }
}
