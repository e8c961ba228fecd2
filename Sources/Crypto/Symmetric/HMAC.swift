internal import COpenSSL

/// Keyed hashing (RFC 2104).
package enum HMAC {
  /// Compare the result with ``ConstantTime/isEqual(_:_:)``.
  ///
  /// - Parameter key: At most 65,536 bytes.
  package static func code(
    _ digest: Digest, key: Span<UInt8>, _ message: Span<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    guard key.count <= 65_536 else { throw CryptoError(.invalidLength, "HMAC") }
    ErrorQueue.clear()
    var code = [UInt8](repeating: 0, count: digest.byteCount)
    let done = unsafe key.withUnsafeBufferPointer { key in
      unsafe message.withUnsafeBufferPointer { message in
        unsafe code.withUnsafeMutableBufferPointer { code in
          unsafe COpenSSL.HMAC(
            digest.implementation, key.baseAddress, Int32(key.count), message.baseAddress, message.count,
            code.baseAddress, nil) != nil
        }
      }
    }
    if !done { throw .library("HMAC") }
    return code
  }

  package static func sha256(key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    try code(.sha256, key: key, message)
  }
}
