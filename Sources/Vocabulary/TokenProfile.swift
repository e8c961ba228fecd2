/// The kinds of signed tokens with rules of their own, which exclude each other (RFC 8725 section 3.12).
package enum TokenProfile: String, Sendable, Hashable, CaseIterable {
  /// OpenID Connect Core 1.0 sections 2 and 3.1.3.7.
  case idToken = "id-token"
  /// RFC 9068.
  case accessToken = "access-token"
  /// OpenID Connect Back-Channel Logout 1.0 sections 2.4 and 2.6.
  case logoutToken = "logout-token"
}
