internal import Platform

/// A secret in ordinary memory, encrypted with a random key of this process. Only the key uses the secure heap, so
/// servers may send any number of tokens.
package final class SealedSecret: Sendable, CustomReflectable {
  private enum Content {
    case sealed([UInt8], nonce: [UInt8])
    /// Unencrypted, because encryption failed.
    case open(SharedSecret)
  }

  /// Created at first use. Nil after a failure.
  private static let key = try? SharedSecret(SecretBytes.random(AES256GCM.keyByteCount))
  /// The number of sealed secrets, used as a nonce that never repeats.
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

  /// Decrypts the secret. Throws `secureHeapFull` without memory.
  package func open() throws(CryptoError) -> SharedSecret {
    switch content {
    case .open(let secret): return secret
    case .sealed(let bytes, let nonce):
      guard let key = Self.key else { throw CryptoError(.libraryFailure, "sealed secret") }
      return SharedSecret(try AES256GCM.open(bytes.span, key: key.bytes, nonce: nonce, associatedData: nonce.span))
    }
  }

  package static let empty = SealedSecret(SharedSecret(SecretBytes()))

  package func isSame(as other: SealedSecret) -> Bool {
    guard count == other.count, let own = try? open(), let others = try? other.open() else { return false }
    return own.bytes.isEqual(to: others.bytes)
  }

  package var count: Int {
    switch content {
    case .open(let secret): secret.bytes.count
    case .sealed(let bytes, _): bytes.count - AES256GCM.tagByteCount
    }
  }

  /// Hides the secret from `dump`.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
