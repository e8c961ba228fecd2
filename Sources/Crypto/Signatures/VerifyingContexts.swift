internal import Platform

/// Contexts for verifying signatures by one key, prepared at the first use of an algorithm.
final class VerifyingContexts: Sendable {
  private final class Shared: Sendable {
    let context: SignatureContext

    init(_ context: consuming SignatureContext) {
      self.context = context
    }
  }

  private let prepared = Monitor<[(algorithm: SignatureAlgorithm, shared: Shared)]>([])

  func context(for algorithm: SignatureAlgorithm, with key: borrowing KeyHandle) throws(CryptoError) -> SignatureContext
  {
    let known = prepared.withLock { prepared in prepared.first { $0.algorithm == algorithm }?.shared }
    if let known { return try known.context.copy() }
    let shared = Shared(try SignatureContext.begin(.verifying, algorithm, with: key))
    prepared.withLock { prepared in
      if !prepared.contains(where: { $0.algorithm == algorithm }) { prepared.append((algorithm, shared)) }
    }
    return try shared.context.copy()
  }
}
