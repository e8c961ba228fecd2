internal import AgentSocket
internal import Wire

/// An access token with its session.
///
/// It cannot be copied, printed or interpolated, and its bytes are overwritten when its owner ends. Get it when it is
/// needed and do not keep it: the agent keeps it, and returns it again in well under a millisecond.
@safe public struct AccessToken: ~Copyable, @unchecked Sendable {
  /// The session of the token, with its user and expiry.
  public let session: Session

  /// `Bearer` (RFC 6750) or `DPoP` (RFC 9449), in the spelling of the RFC.
  public let type: String

  /// The value of the `DPoP` field for the one HTTP request that ``Agent/tokenWithProof(method:url:nonce:for:)`` named
  /// (RFC 9449, section 4.1); nil in any other token.
  public let proof: String?

  /// Written only when it is made and when it goes away.
  private let storage: UnsafeMutableBufferPointer<UInt8>

  /// Makes a token, for a ``SessionContainer`` of your own and for tests. The bytes are copied.
  public init(_ bytes: Span<UInt8>, type: String = "Bearer", proof: String? = nil, session: Session) {
    unsafe storage = .allocate(capacity: bytes.count)
    for index in bytes.indices { unsafe storage.initializeElement(at: index, to: bytes[index]) }
    self.type = type
    self.proof = proof
    self.session = session
  }

  deinit {
    unsafe Self.overwrite(storage)
    unsafe storage.deallocate()
  }

  // Not inlined, because the optimizer may remove a write that is never read.
  @inline(never) private static func overwrite(_ storage: UnsafeMutableBufferPointer<UInt8>) {
    unsafe storage.update(repeating: 0)
  }

  /// Lends the token's bytes, which are printable ASCII.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(storage.span)
  }

  /// A hash that identifies the token within this process: it has a random key of this process, so it does not disclose
  /// the token.
  borrowing func fingerprint() -> Int {
    var hasher = Hasher()
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(storage))
    return hasher.finalize()
  }

  /// The token as a `String`, which cannot be overwritten after use: for interfaces that accept only that.
  public borrowing func revealed() -> String {
    unsafe String(decoding: storage, as: UTF8.self)
  }

  /// The value of an `Authorization` field with this token. A request with a `DPoP` token needs ``proof`` in
  /// its `DPoP` field beside it.
  public borrowing func revealedAuthorization() -> String {
    "\(type) \(revealed())"
  }
}

extension AccessToken {
  /// Reads the answer line of a request for a token.
  init(in line: Span<UInt8>) throws(Failure) {
    let answer = try TokenAnswer(parsing: line)
    let description = answer.description
    let session = Session(
      account: description.account, issuer: description.issuer, subject: description.subject,
      claims: answer.claims(from: line).map(ClaimValue.members) ?? [:],
      scope: description.scope?.split(separator: " ").map(String.init), expiresAt: description.expiresAt)
    self = SecretText.with(capacity: line.count) { text in
      answer.appendAccessToken(from: line, to: &text)
      return AccessToken(
        text.bytes.span, type: description.tokenType, proof: answer.proof(from: line), session: session)
    }
  }
}
