internal import COpenSSL

/// Memory-hard key derivation from a passphrase (RFC 7914).
package enum Scrypt {
  /// The cost parameters (RFC 7914 section 2).
  package struct Cost: Sendable, Hashable {
    /// For new key slots: 128 MiB, and a few tenths of a second.
    package static let standard = Cost(logarithm: 17, blockSize: 8, parallelism: 1)

    /// The binary logarithm of N.
    package let logarithm: Int
    /// The parameter r, in units of 128 bytes.
    package let blockSize: Int
    /// The parameter p.
    package let parallelism: Int

    package init(logarithm: Int, blockSize: Int, parallelism: Int) {
      self.logarithm = logarithm
      self.blockSize = blockSize
      self.parallelism = parallelism
    }

    /// Approximate memory of one derivation, in bytes.
    package var memory: Int {
      guard isPossible else { return .max }
      return 128 * blockSize << logarithm
    }

    /// Whether all parameters are within limits.
    fileprivate var isPossible: Bool {
      (1...24).contains(logarithm) && (1...64).contains(blockSize) && (1...64).contains(parallelism)
    }
  }

  /// Uses ordinary memory, which is wiped.
  ///
  /// - Parameters:
  ///   - passphrase: At most 65,536 bytes.
  ///   - salt: At most 1,024 bytes.
  ///   - cost: N from 2 to 2^24, r and p from 1 to 64.
  ///   - count: The length of the result, 1...1,024 bytes.
  /// - Throws: `invalidLength` for other values; `libraryFailure`, also for lack of memory.
  package static func derive(
    _ passphrase: Span<UInt8>, salt: Span<UInt8>, cost: Cost, count: Int
  ) throws(CryptoError) -> SecretBytes {
    guard passphrase.count <= 65_536, salt.count <= 1024, cost.isPossible, (1...1024).contains(count)
    else { throw CryptoError(.invalidLength, "scrypt") }
    ErrorQueue.clear()
    // libcrypto's default limit of 32 MiB is too low for a secure cost.
    let ceiling = UInt64(cost.memory) + 1 << 20
    var key = try SecretBytes(zeroed: count)
    let status = key.withMutableBytes { key in
      unsafe key.withUnsafeMutableBufferPointer { key in
        unsafe passphrase.withUnsafeBufferPointer { passphrase in
          unsafe salt.withUnsafeBufferPointer { salt in
            unsafe agent_scrypt(
              passphrase.baseAddress, passphrase.count, salt.baseAddress, salt.count, 1 << cost.logarithm,
              UInt64(cost.blockSize), UInt64(cost.parallelism), ceiling, key.baseAddress, key.count)
          }
        }
      }
    }
    try check(status, "EVP_PBE_scrypt")
    return key
  }
}
