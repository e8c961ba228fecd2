/// What a caller wants of an access token.
package struct TokenNeed: Sendable, Hashable {
  /// The token must be good for this long; nil leaves it to ``RefreshPolicy``.
  package var minimumValiditySeconds: Int?
  /// A new token is wanted even if the one at hand is good.
  package var forceRefresh = false
  /// The token of this generation of the session is known; a later one is wanted, but nobody insists on it.
  package var newerThan: UInt64?

  package init(minimumValiditySeconds: Int? = nil, forceRefresh: Bool = false, newerThan: UInt64? = nil) {
    self.minimumValiditySeconds = minimumValiditySeconds
    self.forceRefresh = forceRefresh
    self.newerThan = newerThan
  }
}
