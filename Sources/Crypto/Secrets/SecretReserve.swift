internal import Platform

/// Memory for work that must not fail, used for secrets while the system has no memory. Shared by all threads.
package final class SecretReserve: Sendable {
  private static let arenas = Monitor<[ObjectIdentifier: SecretArena]>([:])

  /// - Parameter byteCount: At least 1.
  /// - Throws: `secureHeapFull` if the system has no memory.
  package init(byteCount: Int) throws(CryptoError) {
    let arena = try SecretArena(byteCount: byteCount)
    // In a new thread, libcrypto's generators allocate their state on the secure heap.
    _ = try (Random.bytes(1), SharedSecret(SecretBytes.random(1)))
    Self.arenas.withLock { $0[ObjectIdentifier(self)] = arena }
  }

  deinit { Self.arenas.withLock { $0[ObjectIdentifier(self)] = nil } }

  /// Allocates zeroed bytes. Nil if no reserve has enough.
  static func allocate(_ count: Int) -> (start: UnsafeMutableRawPointer, arena: SecretArena)? {
    for arena in arenas.withLock({ Array($0.values) }) {
      if let start = unsafe arena.allocate(count) { return unsafe (start, arena) }
    }
    return nil
  }
}
