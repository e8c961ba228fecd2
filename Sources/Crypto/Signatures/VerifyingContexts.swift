internal import Platform

/// For each algorithm that a key was used with, a context that is ready to verify a signature.
final class VerifyingContexts: Sendable {
  private final class Shared: Sendable {
    let context: SignatureContext

    init(_ context: consuming SignatureContext) {
      self.context = context
    }
  }

  private let begun = Monitor<[SignatureAlgorithm: Shared]>([:])

  /// A context for one signature by the key that this belongs to.
  func context(for algorithm: SignatureAlgorithm, with key: borrowing KeyHandle) throws(CryptoError) -> SignatureContext
  {
    if let shared = begun.withLock({ $0[algorithm] }) { return try shared.context.copy() }
    let shared = Shared(try SignatureContext.begin(.verifying, algorithm, with: key))
    begun.withLock { $0[algorithm] = shared }
    return try shared.context.copy()
  }
}
