internal import COpenSSL

/// Comparisons for secrets.
package enum ConstantTime {
  /// The duration depends only on the lengths.
  package static func isEqual(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    if a.isEmpty { return true }
    return unsafe a.withUnsafeBufferPointer { left in
      unsafe b.withUnsafeBufferPointer { right in
        unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
      }
    }
  }
}
