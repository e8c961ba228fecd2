import Platform

/// What a token request asks for beside its grant, and when; put together before the lock is taken.
struct TokenOrder: Sendable {
  let clientID: String
  /// Nil for all that was granted.
  let scope: ScopeSet?
  /// Resources and audiences; empty for those that were granted (RFC 8707 section 2.2).
  let targets: [String]
  /// The key that was proven (RFC 9449); nil for Bearer tokens.
  let thumbprint: String?
  let isConfidential: Bool
  /// Of the new access token.
  let accessKey: OpaqueKey
  let now: Instant
  /// Unix seconds.
  let wall: Int
}
