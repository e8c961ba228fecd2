/// A session as it was when an access token was handed out: who is signed in, where, for what, and until when.
///
/// It is a value and holds no token. It says nothing of what became of the session since; ``RefreshableSession`` does.
public struct Session: Sendable, Hashable {
  /// The account's name, which is this user's own choice.
  public var account: String

  /// The authorization server's issuer identifier (RFC 8414, section 2).
  public var issuer: String

  /// Who is signed in, by the verified ID Token. Unique at the issuer and never given to anybody else; nil where the
  /// server gives no ID Token.
  public var subject: String?

  /// What the verified ID Token says of the person; empty where there is none.
  public var claims: [String: ClaimValue]

  /// What the access token is good for; nil where the server does not say.
  public var scope: [String]?

  /// When the access token expires, in seconds since 1970-01-01T00:00:00Z; nil where the server does not say.
  public var expiresAt: Int?

  /// Puts a session together, for a ``SessionContainer`` of your own and for tests.
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
