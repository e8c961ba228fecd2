internal import Encoding
internal import Wire

/// An ID Token that the agent has verified and that has not expired (OpenID Connect Core 1.0, section 2).
///
/// ```swift
/// let token = try await agent.idToken(for: "work")
/// print(token.user.subject, token.expiresAt)
/// ```
///
/// For services that accept and verify ID Tokens. Cannot be copied; its bytes are overwritten at the end of its
/// lifetime.
public struct IDToken: ~Copyable, Sendable {
  /// The user, with all claims of the token.
  public let user: User

  /// The expiry (`exp`), in Unix seconds.
  public let expiresAt: Int

  private let bytes: TokenBytes

  /// Creates a token, for tests. Copies the bytes.
  public init(_ bytes: Span<UInt8>, user: User, expiresAt: Int) {
    self.bytes = TokenBytes(bytes)
    self.user = user
    self.expiresAt = expiresAt
  }

  /// Passes the token's bytes, which are printable ASCII, to `body`.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withBytes(body)
  }

  /// Returns the token as a `String`; see ``AccessToken/revealed()``.
  public borrowing func revealed() -> String { bytes.text() }

  /// Parses a response with an ID Token and its claims.
  init(in line: Span<UInt8>) throws(Failure) {
    let answer = try TokenAnswer(parsing: line)
    let (account, issuer) = (answer.description.account, answer.description.issuer)
    guard !answer.description.isIDTokenExpired else { throw .expiringIDToken(of: account) }
    guard let claims = answer.claims(from: line), let subject = claims["sub"]?.string, let expiry = claims["exp"]?.int
    else { throw .missingIDToken(of: account) }
    let user = User(account: account, issuer: issuer, subject: subject, claims: ClaimValue.claims(claims))
    var isThere = false
    let token = SecretText.with(capacity: line.count) { text in
      isThere = answer.appendIDToken(from: line, to: &text)
      return IDToken(text.bytes.span, user: user, expiresAt: expiry)
    }
    guard isThere else { throw .missingIDToken(of: account) }
    self = token
  }
}
