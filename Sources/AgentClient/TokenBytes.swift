/// The bytes of a token. `deinit` overwrites them.
@safe struct TokenBytes: ~Copyable, @unchecked Sendable {
  /// Written only by `init` and `deinit`.
  private let storage: UnsafeMutableBufferPointer<UInt8>

  init(_ bytes: Span<UInt8>) {
    unsafe storage = .allocate(capacity: bytes.count)
    for index in bytes.indices { unsafe storage.initializeElement(at: index, to: bytes[index]) }
  }

  deinit {
    unsafe Self.overwrite(storage)
    unsafe storage.deallocate()
  }

  // Not inlined: the optimizer may remove writes that are never read.
  @inline(never) private static func overwrite(_ storage: UnsafeMutableBufferPointer<UInt8>) {
    unsafe storage.update(repeating: 0)
  }

  borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(storage.span)
  }

  /// A hash that identifies the token in this process. Its random key protects the token.
  borrowing func fingerprint() -> Int {
    var hasher = Hasher()
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(storage))
    return hasher.finalize()
  }

  /// Copies the bytes to a string, which cannot be overwritten.
  borrowing func text() -> String { unsafe String(decoding: storage, as: UTF8.self) }
}
