internal import COpenSSL

/// Bytes that are wiped when their owner ends: on the secure heap, or, what is larger than a page or finds no room there,
/// in a ``SecretRoom``.
///
/// It cannot be copied by accident, printed or compared with `==`.
@safe package struct SecretBytes: ~Copyable, @unchecked Sendable {
  /// The largest secret, in bytes.
  package static let maximumCount = 262_144
  /// The most bytes of an answer in a room of its own.
  package static let maximumAnswerCount = 1 << 20
  /// The largest secret on the secure heap, in bytes.
  private static let mostOnHeap = 4096

  private var storage: UnsafeMutableBufferPointer<UInt8>
  /// The bytes that the storage can grow to.
  let capacity: Int
  /// The memory that the storage is in; nil on the secure heap.
  package let room: SecretRoom?

  /// An empty secret, which needs no memory.
  package init() {
    unsafe storage = UnsafeMutableBufferPointer(start: nil, count: 0)
    capacity = 0
    room = nil
  }

  /// Zero bytes, to be filled.
  ///
  /// - Parameter count: 0...262,144.
  /// - Throws: `invalidLength`, or `secureHeapFull`, which is not a programming error: sizes come from other machines.
  package init(zeroed count: Int) throws(CryptoError) {
    self = try SecretBytes(capacity: count)
    unsafe storage = UnsafeMutableBufferPointer(start: storage.baseAddress, count: count)
    unsafe room?.lock(UnsafeMutableRawBufferPointer(storage))
  }

  /// No bytes yet, and memory for so many.
  ///
  /// - Parameter room: Where the memory is taken from, as long as there is some.
  init(capacity: Int, in room: SecretRoom? = nil) throws(CryptoError) {
    guard (0...(room == nil ? Self.maximumCount : Self.maximumAnswerCount)).contains(capacity) else {
      throw CryptoError(.invalidLength, "secret")
    }
    var (place, room) = unsafe (room?.take(capacity), room)
    if unsafe place == nil, capacity <= Self.mostOnHeap {
      unsafe (place, room) = (capacity == 0 ? nil : agent_secure_zalloc(capacity), nil)
    }
    if unsafe place == nil, capacity > 0 {
      let own = try SecretRoom(byteCount: capacity)
      unsafe (place, room) = (own.take(capacity), own)
    }
    unsafe storage = UnsafeMutableBufferPointer(start: place?.assumingMemoryBound(to: UInt8.self), count: 0)
    self.capacity = capacity
    self.room = room
  }

  /// A copy of `bytes`. The caller wipes the original.
  package init(copying bytes: Span<UInt8>) throws(CryptoError) {
    try self.init(capacity: bytes.count)
    append(bytes)
  }

  deinit {
    if room == nil { return unsafe agent_secure_clear_free(storage.baseAddress, capacity) }
    unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
  }

  /// Adds bytes, for which there must be room.
  mutating func append(_ bytes: Span<UInt8>) {
    let end = unsafe storage.count
    precondition(bytes.count <= capacity - end)
    guard let start = unsafe storage.baseAddress, !bytes.isEmpty else { return }
    unsafe room?.lock(UnsafeMutableRawBufferPointer(start: start + end, count: bytes.count), isContinued: end > 0)
    unsafe bytes.withUnsafeBufferPointer { unsafe (start + end).update(from: $0.baseAddress!, count: $0.count) }
    unsafe storage = UnsafeMutableBufferPointer(start: start, count: end + bytes.count)
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
