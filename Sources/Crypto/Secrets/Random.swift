internal import COpenSSL

/// Random bytes from libcrypto.
package enum Random {
  /// Returns 0...65,536 random bytes in ordinary memory, which is not wiped.
  package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    guard (0...65_536).contains(count) else { throw CryptoError(.invalidLength, "random") }
    ErrorQueue.clear()
    var bytes = [UInt8](repeating: 0, count: count)
    let status = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      unsafe RAND_bytes(buffer.baseAddress, Int32(buffer.count))
    }
    try check(status, "RAND_bytes")
    return bytes
  }

  /// Fills memory from libcrypto's generator for secrets.
  static func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>) throws(CryptoError) {
    if buffer.isEmpty { return }
    ErrorQueue.clear()
    try check(unsafe RAND_priv_bytes(buffer.baseAddress, Int32(buffer.count)), "RAND_priv_bytes")
  }
}
