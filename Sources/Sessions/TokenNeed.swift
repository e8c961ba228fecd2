/// What a caller wants of an access token.
package struct TokenNeed: Sendable, Hashable {
  /// The token must be good for this long; nil leaves it to ``RefreshPolicy``.
  package var minimumValiditySeconds: Int?
  /// A new token is wanted even if the one at hand is good.
  package var forceRefresh = false

  package init(minimumValiditySeconds: Int? = nil, forceRefresh: Bool = false) {
    self.minimumValiditySeconds = minimumValiditySeconds
    self.forceRefresh = forceRefresh
  }
}
