internal import COpenSSL
internal import Platform

/// How well the secure heap protects secrets.
package enum SecureHeapState: String, Sendable {
  case locked
  /// The system refused to lock the heap's pages.
  case unlocked
  /// The heap is not in use. Secrets are still wiped.
  case unavailable
}

/// The heap for secrets: locked, between guard pages, and excluded from core dumps.
package enum SecureHeap {
  private static let current = Monitor<SecureHeapState>(.unavailable)

  /// Initializes the heap once, and returns its state. Call first in `main`: earlier allocations stay on the ordinary
  /// heap. Both sizes are powers of two; `minimum` is the smallest allocation.
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

  /// The result of ``initialise(bytes:minimum:)``; `unavailable` before it.
  package static var state: SecureHeapState {
    current.withLock { $0 }
  }

  /// Each allocation counts rounded up to a power of two. 0 without a heap.
  package static var usedBytes: Int {
    // Without a heap, libcrypto's lock does not exist either.
    CRYPTO_secure_malloc_initialized() == 1 ? Int(clamping: CRYPTO_secure_used()) : 0
  }
}
