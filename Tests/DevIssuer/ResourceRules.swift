import Platform

/// What the protected resources ask of a token beside that it is good.
struct ResourceRules: Sendable, Hashable {
  /// RFC 6750 section 3.1.
  var scope: String?
  /// RFC 9470 section 3.
  var acr: String?
  /// Seconds since the sign-in; RFC 9470 section 3.
  var maxAge: Int?
  /// Only tokens that are bound to a key are taken (RFC 9728 section 2, `dpop_bound_access_tokens_required`).
  var wantsBoundTokens = false

  func check(_ token: AccessToken, _ grant: Grant, at unixSeconds: Int) throws(BearerToken.Problem) {
    if wantsBoundTokens, token.dpopThumbprint == nil { throw .invalidBound }
    if let scope, !token.scope.contains(scope) { throw .insufficientScope(scope) }
    let isTooWeak = acr.map { $0 != grant.acr } ?? false
    let isTooOld = maxAge.map { grant.username == nil || unixSeconds - grant.authTime > $0 } ?? false
    guard !isTooWeak, !isTooOld else { throw .insufficientAuthentication(acr: acr, maxAge: maxAge) }
  }
}
