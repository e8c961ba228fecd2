import Platform

/// An authorization code and all that it is bound to (RFC 6749 section 4.1.2).
struct AuthorizationCode: Sendable {
  let request: AuthorizationRequest
  /// Who approved.
  let session: BrowserSession
  let expiresAt: Instant
  /// The grant of its first use.
  var usedFor: OpaqueKey?
}
