internal import Encoding

/// A growing buffer for a secret, which wipes unused memory. Writing never throws. The first failure (limit exceeded,
/// no memory) wipes the content, and ``finish()`` throws it.
package struct SecretBuffer: ~Copyable, ByteSink {
  private var storage = SecretBytes()
  private var failure: CryptoError?
  private let initialCapacity: Int
  private let limit: Int
  private let arena: SecretArena?

  /// `capacity` is the initial size and `limit` the maximum, in bytes: at most 262,144, or 1,048,576 in an arena.
  /// Uses other memory if `arena` is full.
  package init(capacity: Int = 1024, limit: Int = SecretBytes.maximumCount, in arena: SecretArena? = nil) {
    self.limit = max(0, min(limit, arena == nil ? SecretBytes.maximumCount : SecretBytes.maximumAnswerCount))
    initialCapacity = max(1, min(capacity, self.limit))
    self.arena = arena
  }

  /// Allocates all memory now, so that only exceeding the limit fails later. Throws `secureHeapFull` without memory.
  package init(reserving limit: Int, in arena: SecretArena? = nil) throws(CryptoError) {
    self.init(capacity: limit, limit: limit, in: arena)
    storage = try SecretBytes(capacity: self.limit, in: arena)
  }

  /// 0 after a failure.
  package var count: Int { storage.count }

  package mutating func append(_ byte: UInt8) {
    guard reserve(1) else { return }
    let bytes = CollectionOfOne(byte)
    storage.append(bytes.span)
  }

  /// The caller must wipe the original if secret.
  package mutating func append(contentsOf bytes: Span<UInt8>) {
    guard !bytes.isEmpty, reserve(bytes.count) else { return }
    storage.append(bytes)
  }

  package borrowing func withBytes<R: ~Copyable, E: Error>(
    _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try storage.withBytes(body)
  }

  /// Returns the secret, or throws the first failure of writing.
  package consuming func finish() throws(CryptoError) -> SecretBytes {
    if let failure { throw failure }
    guard storage.arena == nil, storage.count < storage.capacity else { return storage }
    return try storage.copy()
  }

  private mutating func reserve(_ count: Int) -> Bool {
    if failure != nil { return false }
    let (needed, overflow) = storage.count.addingReportingOverflow(count)
    if overflow || needed > limit {
      fail(CryptoError(.invalidLength, "secret buffer"))
      return false
    }
    return needed <= storage.capacity || grow(to: needed)
  }

  /// Returns false on failure.
  private mutating func grow(to needed: Int) -> Bool {
    let capacity = min(limit, max(needed, initialCapacity, storage.capacity * 2))
    do throws(CryptoError) {
      var larger = try SecretBytes(capacity: capacity, in: arena)
      withBytes { larger.append($0) }
      storage = larger
      return true
    } catch {
      fail(error)
      return false
    }
  }

  private mutating func fail(_ error: CryptoError) {
    failure = error
    storage = SecretBytes()
  }
}
