internal import COpenSSL

/// Bytes that are wiped when released, and cannot be copied by accident, printed or compared with `==`. On the secure
/// heap, or in a ``SecretArena`` if larger than a page or the heap is full.
@safe package struct SecretBytes: ~Copyable, @unchecked Sendable {
  package static let maximumCount = 262_144
  /// The maximum for a response in its own arena.
  package static let maximumAnswerCount = 1 << 20
  /// Larger secrets get an arena.
  private static let maximumOnHeap = 4096

  private var storage: UnsafeMutableBufferPointer<UInt8>
  let capacity: Int
  /// Nil on the secure heap.
  package let arena: SecretArena?

  package init() {
    unsafe storage = UnsafeMutableBufferPointer(start: nil, count: 0)
    capacity = 0
    arena = nil
  }

  /// - Parameter count: 0...262,144.
  /// - Throws: `invalidLength` or `secureHeapFull`.
  package init(zeroed count: Int) throws(CryptoError) {
    self = try SecretBytes(capacity: count)
    unsafe storage = UnsafeMutableBufferPointer(start: storage.baseAddress, count: count)
    unsafe arena?.lock(UnsafeMutableRawBufferPointer(storage))
  }

  /// `capacity` is the maximum size in bytes. Uses other memory if `arena` is full.
  init(capacity: Int, in arena: SecretArena? = nil) throws(CryptoError) {
    guard (0...(arena == nil ? Self.maximumCount : Self.maximumAnswerCount)).contains(capacity) else {
      throw CryptoError(.invalidLength, "secret")
    }
    var (start, arena) = unsafe (arena?.allocate(capacity), arena)
    if unsafe start == nil, capacity <= Self.maximumOnHeap {
      unsafe (start, arena) = (capacity == 0 ? nil : agent_secure_zalloc(capacity), nil)
    }
    if unsafe start == nil, capacity > 0 {
      do {
        let own = try SecretArena(byteCount: capacity)
        unsafe (start, arena) = (own.allocate(capacity), own)
      } catch {
        guard let reserved = unsafe SecretReserve.allocate(capacity) else { throw error }
        unsafe (start, arena) = (reserved.start, reserved.arena)
      }
    }
    unsafe storage = UnsafeMutableBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: 0)
    self.capacity = capacity
    self.arena = arena
  }

  /// The caller must wipe the original.
  package init(copying bytes: Span<UInt8>) throws(CryptoError) {
    try self.init(capacity: bytes.count)
    append(bytes)
  }

  deinit {
    if arena == nil { return unsafe agent_secure_clear_free(storage.baseAddress, capacity) }
    unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
  }

  mutating func append(_ bytes: Span<UInt8>) {
    let end = unsafe storage.count
    precondition(bytes.count <= capacity - end)
    guard let start = unsafe storage.baseAddress, !bytes.isEmpty else { return }
    unsafe arena?.lock(UnsafeMutableRawBufferPointer(start: start + end, count: bytes.count), isContinued: end > 0)
    unsafe bytes.withUnsafeBufferPointer { unsafe (start + end).update(from: $0.baseAddress!, count: $0.count) }
    unsafe storage = UnsafeMutableBufferPointer(start: start, count: end + bytes.count)
  }

  /// The length, which is not secret.
  package var count: Int { unsafe storage.count }

  /// `body` must not copy the bytes.
  package borrowing func withBytes<R: ~Copyable, E: Error>(
    _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(storage.span)
  }

  package mutating func withMutableBytes<R: ~Copyable, E: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    var span = unsafe storage.mutableSpan
    return try body(&span)
  }

  package borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
    unsafe ConstantTime.isEqual(storage.span, other.storage.span)
  }

  package borrowing func copy() throws(CryptoError) -> SecretBytes {
    try unsafe SecretBytes(copying: storage.span)
  }

  package static func random(_ count: Int) throws(CryptoError) -> SecretBytes {
    let secret = try SecretBytes(zeroed: count)
    try unsafe Random.fill(secret.storage)
    return secret
  }
}

/// Wipes the secret when the last owner releases it.
package final class SharedSecret: Sendable, CustomReflectable {
  package let bytes: SecretBytes

  package init(_ bytes: consuming SecretBytes) {
    self.bytes = bytes
  }

  /// Hides the secret from `dump`.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
