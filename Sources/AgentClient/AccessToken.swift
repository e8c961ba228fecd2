/// An access token with its session.
///
/// It cannot be copied, printed or interpolated, and its bytes are overwritten when its owner ends. Get it when it is
/// needed and do not keep it: the agent keeps it, and returns it again in well under a millisecond.
@safe public struct AccessToken: ~Copyable, @unchecked Sendable {
  /// The session of the token, with its user and expiry.
  public let session: Session

  /// `Bearer` (RFC 6750) or `DPoP` (RFC 9449), in the spelling of the RFC.
  public let type: String

  /// Written only when it is made and when it goes away.
  private let storage: UnsafeMutableBufferPointer<UInt8>

  /// Makes a token, for a ``SessionContainer`` of your own and for tests. The bytes are copied.
  public init(_ bytes: Span<UInt8>, type: String = "Bearer", session: Session) {
    unsafe storage = .allocate(capacity: bytes.count)
    for index in bytes.indices { unsafe storage.initializeElement(at: index, to: bytes[index]) }
    self.type = type
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

  /// The value of an `Authorization` field with this token. For a `DPoP` token a request needs a proof beside it.
  public borrowing func revealedAuthorization() -> String {
    "\(type) \(revealed())"
  }
}
