package import OAuth

/// The requirements of a caller for an access token.
package struct TokenNeed: Sendable, Hashable {
  /// The token must be good for this long; nil leaves it to ``RefreshPolicy``.
  package var minimumValiditySeconds: Int?
  /// A new token is wanted even if the cached one is valid.
  package var forceRefresh = false
  /// The caller knows the token of this generation of the session and prefers a later one, but does not require it.
  package var newerThan: UInt64?
  /// The claims that a resource wants in the token. A refresh asks for them.
  package var claims: RequestedClaims?

  package init(minimumValiditySeconds: Int? = nil, forceRefresh: Bool = false, newerThan: UInt64? = nil) {
    self.minimumValiditySeconds = minimumValiditySeconds
    self.forceRefresh = forceRefresh
    self.newerThan = newerThan
  }
}
