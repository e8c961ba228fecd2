internal import COpenSSL

/// The SHA-2 hash functions (FIPS 180-4) used by OAuth and JOSE.
package enum Digest: Sendable, Hashable, CaseIterable {
  case sha256, sha384, sha512

  package var byteCount: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  package func hash(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    ErrorQueue.clear()
    var hash = [UInt8](repeating: 0, count: byteCount)
    let status = unsafe message.withUnsafeBufferPointer { input in
      unsafe hash.withUnsafeMutableBufferPointer { output in
        unsafe EVP_Digest(input.baseAddress, input.count, output.baseAddress, nil, implementation, nil)
      }
    }
    try check(status, "EVP_Digest")
    return hash
  }

  /// libcrypto's implementation, a constant that is never freed.
  var implementation: OpaquePointer? {
    switch self {
    case .sha256: unsafe EVP_sha256()
    case .sha384: unsafe EVP_sha384()
    case .sha512: unsafe EVP_sha512()
    }
  }
}
