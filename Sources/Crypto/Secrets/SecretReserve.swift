internal import Platform

/// Memory reserved for secrets of work that must not fail. When the system has no memory, all threads use it.
package final class SecretReserve: Sendable {
  private static let arenas = Monitor<[ObjectIdentifier: SecretArena]>([:])

  /// - Parameter byteCount: At least 1.
  /// - Throws: `secureHeapFull` without memory.
  package init(byteCount: Int) throws(CryptoError) {
    let arena = try SecretArena(byteCount: byteCount)
    // In a new thread, libcrypto's generators allocate their state on the secure heap.
    _ = try (Random.bytes(1), SharedSecret(SecretBytes.random(1)))
    Self.arenas.withLock { $0[ObjectIdentifier(self)] = arena }
  }

  deinit { Self.arenas.withLock { $0[ObjectIdentifier(self)] = nil } }

  /// Returns zeroed bytes, or nil if no reserve has enough.
  static func allocate(_ count: Int) -> (start: UnsafeMutableRawPointer, arena: SecretArena)? {
    for arena in arenas.withLock({ Array($0.values) }) {
      if let start = unsafe arena.allocate(count) { return unsafe (start, arena) }
    }
    return nil
  }
}
