/// An access token that has just been handed out, with the session it belongs to.
///
/// It cannot be copied, printed or interpolated, and its bytes are overwritten when its owner lets go of it. Ask for it
/// when it is needed and do not keep it: the agent does, and hands it out again in well under a millisecond.
@safe public struct AccessToken: ~Copyable, @unchecked Sendable {
  /// Who is signed in, and until when the token is good.
  public let session: Session

  /// `Bearer` (RFC 6750) or `DPoP` (RFC 9449), in the spelling of the RFC.
  public let type: String

  /// Written only when it is made and when it goes away.
  private let storage: UnsafeMutableBufferPointer<UInt8>

  /// Puts a token together, for a ``SessionContainer`` of your own and for tests. The bytes are copied.
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

  // Not inlined, or it could be left out as something that nobody reads.
  @inline(never) private static func overwrite(_ storage: UnsafeMutableBufferPointer<UInt8>) {
    unsafe storage.update(repeating: 0)
  }

  /// Lends the token's bytes, which are printable ASCII.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(storage.span)
  }

  /// Tells this token from others and is no copy of it: a hash under a key of this process, of no use to anybody else.
  borrowing func fingerprint() -> Int {
    var hasher = Hasher()
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(storage))
    return hasher.finalize()
  }

  /// The token as a text, which nobody can overwrite after use: for interfaces that take nothing else.
  public borrowing func revealed() -> String {
    unsafe String(decoding: storage, as: UTF8.self)
  }

  /// The value of an `Authorization` field with this token. For a `DPoP` token a request needs a proof beside it.
  public borrowing func revealedAuthorization() -> String {
    "\(type) \(revealed())"
  }
}
