internal import COpenSSL

/// Keyed hashing (RFC 2104).
package enum HMAC {
  /// The 32-byte HMAC with SHA-256. Compare it with ``ConstantTime/isEqual(_:_:)``.
  ///
  /// - Parameter key: At most 65,536 bytes.
  package static func sha256(key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    guard key.count <= 65_536 else { throw CryptoError(.invalidLength, "HMAC") }
    ErrorQueue.clear()
    var code = [UInt8](repeating: 0, count: Digest.sha256.byteCount)
    let done = unsafe key.withUnsafeBufferPointer { key in
      unsafe message.withUnsafeBufferPointer { message in
        unsafe code.withUnsafeMutableBufferPointer { code in
          unsafe COpenSSL.HMAC(
            EVP_sha256(), key.baseAddress, Int32(key.count), message.baseAddress, message.count, code.baseAddress, nil)
            != nil
        }
      }
    }
    if !done { throw .library("HMAC") }
    return code
  }
}
