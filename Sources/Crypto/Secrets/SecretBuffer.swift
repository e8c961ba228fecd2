internal import Encoding

/// A growing buffer for a secret. It wipes each smaller copy when it grows.
///
/// Writing never throws: the first failure (limit exceeded, no room on the secure heap) wipes the content, and
/// ``finish()`` throws it.
package struct SecretBuffer: ~Copyable, ByteSink {
  private var storage = SecretBytes()
  private var used = 0
  private var failure: CryptoError?
  private let initialCapacity: Int
  private let limit: Int

  /// An empty buffer, which uses no memory before the first write.
  ///
  /// - Parameters:
  ///   - capacity: The number of bytes to allocate at the first write.
  ///   - limit: The largest length in bytes, at most 262,144.
  package init(capacity: Int = 1024, limit: Int = SecretBytes.maximumCount) {
    self.limit = max(0, min(limit, SecretBytes.maximumCount))
    initialCapacity = max(1, min(capacity, self.limit))
  }

  /// Bytes written; 0 after a failure.
  package var count: Int { used }

  /// Writes one byte.
  package mutating func append(_ byte: UInt8) {
    guard reserve(1) else { return }
    let end = used
    storage.withMutableBytes { $0[end] = byte }
    used = end + 1
  }

  /// Writes all of `bytes`. The caller wipes the original if it is secret.
  package mutating func append(contentsOf bytes: Span<UInt8>) {
    guard !bytes.isEmpty, reserve(bytes.count) else { return }
    let end = used
    storage.withMutableBytes { target in
      for index in bytes.indices { target[end + index] = bytes[index] }
    }
    used = end + bytes.count
  }

  /// Lends the bytes written so far.
  package borrowing func withBytes<R: ~Copyable, E: Error>(
    _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    let count = used
    return try storage.withBytes { (bytes) throws(E) -> R in try body(bytes.extracting(0..<count)) }
  }

  /// The secret, without spare memory.
  package consuming func finish() throws(CryptoError) -> SecretBytes {
    if let failure { throw failure }
    if used == storage.count { return storage }
    return try withBytes { (bytes) throws(CryptoError) in try SecretBytes(copying: bytes) }
  }

  private mutating func reserve(_ count: Int) -> Bool {
    if failure != nil { return false }
    let (needed, overflow) = used.addingReportingOverflow(count)
    if overflow || needed > limit {
      fail(CryptoError(.invalidLength, "secret buffer"))
      return false
    }
    return needed <= storage.count || grow(to: needed)
  }

  private mutating func grow(to needed: Int) -> Bool {
    let capacity = min(limit, max(needed, initialCapacity, storage.count * 2))
    do throws(CryptoError) {
      var larger = try SecretBytes(zeroed: capacity)
      withBytes { written in
        larger.withMutableBytes { target in
          for index in written.indices { target[index] = written[index] }
        }
      }
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
    used = 0
  }
}
