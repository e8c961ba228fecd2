internal import COpenSSL

/// Bytes on the secure heap, which are wiped when their owner ends.
///
/// It cannot be copied by accident, printed or compared with `==`.
@safe package struct SecretBytes: ~Copyable, @unchecked Sendable {
  /// The largest secret, in bytes.
  package static let maximumCount = 262_144

  private let storage: UnsafeMutableBufferPointer<UInt8>

  /// An empty secret, which needs no memory.
  package init() {
    unsafe storage = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  /// Zero bytes, to be filled.
  ///
  /// - Parameter count: 0...262,144.
  /// - Throws: `invalidLength`, or `secureHeapFull`, which is not a programming error: sizes come from other machines.
  package init(zeroed count: Int) throws(CryptoError) {
    guard (0...Self.maximumCount).contains(count) else { throw CryptoError(.invalidLength, "secret") }
    if count == 0 {
      unsafe storage = UnsafeMutableBufferPointer(start: nil, count: 0)
      return
    }
    guard let memory = unsafe agent_secure_zalloc(count) else { throw CryptoError(.secureHeapFull, "secret") }
    let bytes = unsafe memory.bindMemory(to: UInt8.self, capacity: count)
    unsafe storage = UnsafeMutableBufferPointer(start: bytes, count: count)
  }

  /// A copy of `bytes`. The caller wipes the original.
  package init(copying bytes: Span<UInt8>) throws(CryptoError) {
    try self.init(zeroed: bytes.count)
    for index in bytes.indices { unsafe storage[index] = bytes[index] }
  }

  deinit {
    unsafe agent_secure_clear_free(storage.baseAddress, storage.count)
  }

  /// The length in bytes, which is not secret.
  package var count: Int { unsafe storage.count }

  /// Lends the bytes to `body`, which must not keep a copy.
  package borrowing func withBytes<R: ~Copyable, E: Error>(
    _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(storage.span)
  }

  /// Lends the bytes for change.
  package mutating func withMutableBytes<R: ~Copyable, E: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    var span = unsafe storage.mutableSpan
    return try body(&span)
  }

  /// Whether the bytes are equal. The time depends only on the lengths.
  package borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
    unsafe ConstantTime.isEqual(storage.span, other.storage.span)
  }

  /// A second secret with the same bytes.
  package borrowing func copy() throws(CryptoError) -> SecretBytes {
    try unsafe SecretBytes(copying: storage.span)
  }

  /// `count` random bytes.
  package static func random(_ count: Int) throws(CryptoError) -> SecretBytes {
    let secret = try SecretBytes(zeroed: count)
    try unsafe Random.fill(secret.storage)
    return secret
  }
}

/// A secret with several owners, for values that must be copyable. It is wiped when the last owner releases it.
package final class SharedSecret: Sendable, CustomReflectable {
  /// The secret.
  package let bytes: SecretBytes

  /// Takes over a secret.
  package init(_ bytes: consuming SecretBytes) {
    self.bytes = bytes
  }

  /// Empty, so that `dump` of an owner shows nothing.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
