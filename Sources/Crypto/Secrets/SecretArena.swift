internal import Platform

/// Memory for secrets used together, such as a response and its tokens. Freed once all are released.
package final class SecretArena: Sendable {
  private let mapping: PrivateMapping
  /// The number of allocated bytes.
  private let used = Monitor(0)

  /// - Parameter byteCount: At least 1.
  /// - Throws: `secureHeapFull` without memory.
  package init(byteCount: Int) throws(CryptoError) {
    do { mapping = try PrivateMapping(byteCount: byteCount) } catch { throw CryptoError(.secureHeapFull, "secret") }
  }

  /// Returns zeroed bytes, or nil if too few are left.
  func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
    unsafe used.withLock { used in
      guard count <= mapping.byteCount - used else { return nil }
      defer { used += count }
      return unsafe mapping.start + used
    }
  }

  /// Locks the pages of `bytes` in memory.
  ///
  /// - Parameter isContinued: Whether the preceding byte's page is already locked.
  func lock(_ bytes: UnsafeMutableRawBufferPointer, isContinued: Bool = false) {
    unsafe mapping.lock(bytes, isContinued: isContinued)
  }
}
