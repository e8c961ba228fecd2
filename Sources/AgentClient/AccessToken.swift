internal import Wire

/// An access token with its session.
///
/// Cannot be copied, printed or interpolated; its bytes are overwritten at the end of its lifetime. Request it for each
/// use: the agent caches it.
public struct AccessToken: ~Copyable, Sendable {
  /// The token's session.
  public let session: Session

  /// The token type: `Bearer` (RFC 6750) or `DPoP` (RFC 9449).
  public let type: String

  /// The `DPoP` header (RFC 9449, section 4.1); nil unless from ``Agent/tokenWithProof(method:url:nonce:for:)``.
  public let proof: String?

  private let bytes: TokenBytes

  /// Creates a token, for your own ``SessionContainer`` and for tests. Copies the bytes.
  public init(_ bytes: Span<UInt8>, type: String = "Bearer", proof: String? = nil, session: Session) {
    self.bytes = TokenBytes(bytes)
    self.type = type
    self.proof = proof
    self.session = session
  }

  /// Passes the token's bytes, which are printable ASCII, to `body`.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withBytes(body)
  }

  borrowing func fingerprint() -> Int { bytes.fingerprint() }

  /// Returns the token as a `String`, which cannot be overwritten, for interfaces that require one.
  public borrowing func revealed() -> String { bytes.text() }

  /// Returns the value of the `Authorization` header. A `DPoP` token also needs a `DPoP` header with ``proof``.
  public borrowing func revealedAuthorization() -> String {
    "\(type) \(revealed())"
  }

  /// Parses a response with an access token.
  init(in line: Span<UInt8>) throws(Failure) {
    let answer = try TokenAnswer(parsing: line)
    let description = answer.description
    let session = Session(
      account: description.account, issuer: description.issuer, subject: description.subject,
      claims: answer.claims(from: line).map(ClaimValue.claims) ?? [:],
      scope: description.scope?.split(separator: " ").map(String.init), expiresAt: description.expiresAt)
    self = SecretText.with(capacity: line.count) { text in
      answer.appendAccessToken(from: line, to: &text)
      return AccessToken(
        text.bytes.span, type: description.tokenType, proof: answer.proof(from: line), session: session)
    }
  }
}
