package import OAuth

/// A caller's requirements for an access token.
package struct TokenNeed: Sendable, Hashable {
  /// Nil for the default of ``RefreshPolicy``.
  package var minimumValiditySeconds: Int?
  package var forceRefresh = false
  /// The generation of the caller's token: only a later one is returned. Unlike ``forceRefresh``, this may delay a
  /// refresh.
  package var newerThan: UInt64?
  /// Claims that a resource requires in the token. A refresh requests them.
  package var claims: RequestedClaims?

  package init(minimumValiditySeconds: Int? = nil, forceRefresh: Bool = false, newerThan: UInt64? = nil) {
    self.minimumValiditySeconds = minimumValiditySeconds
    self.forceRefresh = forceRefresh
    self.newerThan = newerThan
  }
}
