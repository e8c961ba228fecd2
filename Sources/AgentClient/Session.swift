/// The user, issuer, scope and expiry of a session when its access token was issued.
///
/// Contains no token and never changes. ``RefreshableSession`` reports changes.
public struct Session: Sendable, Hashable {
  /// The account's name.
  public var account: String

  /// The authorization server's issuer identifier (RFC 8414, section 2).
  public var issuer: String

  /// The user's identifier, unique at the issuer and never reassigned; nil without a verified ID Token.
  public var subject: String?

  /// The claims of the verified ID Token, if any.
  public var claims: [String: ClaimValue]

  /// The scope of the access token; nil if unknown.
  public var scope: [String]?

  /// The expiry of the access token, in Unix seconds; nil if unknown.
  public var expiresAt: Int?

  /// Creates a session, for your own ``SessionContainer`` and for tests.
  public init(
    account: String, issuer: String, subject: String? = nil, claims: [String: ClaimValue] = [:],
    scope: [String]? = nil, expiresAt: Int? = nil
  ) {
    self.account = account
    self.issuer = issuer
    self.subject = subject
    self.claims = claims
    self.scope = scope
    self.expiresAt = expiresAt
  }
}
