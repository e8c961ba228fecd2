internal import COpenSSL

extension PublicComponents {
  /// Parses a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) without trailing bytes. Throws `invalidKey` if malformed,
  /// `unsupportedAlgorithm` for an unsupported key type.
  package init(subjectPublicKeyInfo der: Span<UInt8>) throws(CryptoError) {
    self = try unsafe Self.read(der, "d2i_PUBKEY") { unsafe d2i_PUBKEY(nil, &$0, $1) }
  }

  /// Parses an RSAPublicKey (RFC 8017 appendix A.1.1).
  package init(rsaPublicKey der: Span<UInt8>) throws(CryptoError) {
    self = try unsafe Self.read(der, "d2i_PublicKey") { unsafe d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1) }
  }

  /// `parse` gets a pointer to the key and the maximum length, and moves the pointer to the key's end.
  private static func read(
    _ der: Span<UInt8>, _ function: String,
    _ parse: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
  ) throws(CryptoError) -> PublicComponents {
    guard (1...Certificate.maximumBytes).contains(der.count) else { throw CryptoError(.invalidKey, "public key") }
    ErrorQueue.clear()
    let (key, isWhole) = unsafe der.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      let key = unsafe parse(&position, buffer.count)
      return unsafe (key, position == buffer.baseAddress?.advanced(by: buffer.count))
    }
    guard let key = unsafe key else { throw .library(function, code: .invalidKey) }
    let handle = unsafe KeyHandle(owning: key)
    guard isWhole else { throw CryptoError(.invalidKey, "public key") }
    return try handle.publicComponents()
  }
}
