internal import COpenSSL
internal import Platform

/// The state of the secure heap.
package enum SecureHeapState: Sendable {
  /// In use, and its pages are locked in memory.
  case locked
  /// In use, but the system did not allow to lock its pages in memory.
  case unlocked
  /// Not in use: secrets are on the ordinary heap, and still wiped.
  case unavailable
}

/// The memory for secrets: locked, between guard pages, and not in core files.
package enum SecureHeap {
  private static let current = Monitor<SecureHeapState>(.unavailable)

  /// Sets the heap up. Call it first in a program: earlier allocations stay on the ordinary heap.
  ///
  /// A second call changes nothing and returns the state of the first.
  ///
  /// - Parameters:
  ///   - bytes: The size, a power of two. 4 MiB fits the usual limit on locked memory.
  ///   - minimum: The smallest allocation, a power of two.
  package static func initialise(bytes: Int = 4 << 20, minimum: Int = 32) -> SecureHeapState {
    current.withLock { state in
      if CRYPTO_secure_malloc_initialized() == 1 { return state }
      ErrorQueue.clear()
      state =
        switch CRYPTO_secure_malloc_init(bytes, minimum) {
        case 1: .locked
        case 2: .unlocked
        default: .unavailable
        }
      return state
    }
  }

  /// The outcome of ``initialise(bytes:minimum:)``; `unavailable` before it.
  package static var state: SecureHeapState {
    current.withLock { $0 }
  }

  /// Bytes allocated from the heap now, each allocation rounded up to a power of two; 0 where there is none.
  package static var used: Int {
    // Without a heap the library's lock is not there either.
    CRYPTO_secure_malloc_initialized() == 1 ? Int(clamping: CRYPTO_secure_used()) : 0
  }
}
