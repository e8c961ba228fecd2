internal import Platform

/// A secret that is kept for later: in ordinary memory, sealed with AES-256-GCM under a random key of this process.
///
/// Only the key takes room on the secure heap, so the number and the size of what a server issues do not matter there.
package final class SealedSecret: Sendable, CustomReflectable {
  private enum Content {
    case sealed([UInt8], nonce: [UInt8])
    /// libcrypto could not seal it.
    case open(SharedSecret)
  }

  /// Made at the first use; nil when libcrypto fails.
  private static let key = try? SharedSecret(SecretBytes.random(AES256GCM.keyByteCount))
  /// The number of secrets that were sealed: the nonce, which is never used twice with the key.
  private static let sealedCount = Monitor<UInt64>(0)

  private let content: Content

  package init(_ secret: SharedSecret) {
    content = Self.seal(secret) ?? .open(secret)
  }

  private static func seal(_ secret: SharedSecret) -> Content? {
    guard let key else { return nil }
    let number = sealedCount.withLock { count in
      count += 1
      return count
    }
    let nonce = (0..<AES256GCM.nonceByteCount).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : 0) }
    let sealed: [UInt8]? = try? secret.bytes.withBytes { (bytes) throws(CryptoError) in
      try AES256GCM.seal(bytes, key: key.bytes, nonce: nonce, associatedData: nonce.span)
    }
    return sealed.map { .sealed($0, nonce: nonce) }
  }

  /// The secret, for as long as it is needed.
  ///
  /// - Throws: `secureHeapFull` when there is no memory for it.
  package func open() throws(CryptoError) -> SharedSecret {
    switch content {
    case .open(let secret): return secret
    case .sealed(let bytes, let nonce):
      guard let key = Self.key else { throw CryptoError(.libraryFailure, "sealed secret") }
      return SharedSecret(try AES256GCM.open(bytes.span, key: key.bytes, nonce: nonce, associatedData: nonce.span))
    }
  }

  /// A secret of no bytes.
  package static let empty = SealedSecret(SharedSecret(SecretBytes()))

  /// Whether the other secret has the same bytes.
  package func isSame(as other: SealedSecret) -> Bool {
    guard count == other.count, let own = try? open(), let others = try? other.open() else { return false }
    return own.bytes.isEqual(to: others.bytes)
  }

  /// The length of the secret in bytes.
  package var count: Int {
    switch content {
    case .open(let secret): secret.bytes.count
    case .sealed(let bytes, _): bytes.count - AES256GCM.tagByteCount
    }
  }

  /// Empty, so that `dump` of an owner shows nothing.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
