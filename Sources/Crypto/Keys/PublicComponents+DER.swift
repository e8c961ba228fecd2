internal import COpenSSL

extension PublicComponents {
  /// Parses a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7).
  ///
  /// - Parameter der: The structure, without trailing bytes.
  /// - Throws: `invalidKey`; `unsupportedAlgorithm` for an unsupported type of key.
  package init(subjectPublicKeyInfo der: Span<UInt8>) throws(CryptoError) {
    self = try unsafe Self.read(der, "d2i_PUBKEY") { unsafe d2i_PUBKEY(nil, &$0, $1) }
  }

  /// Parses an RSAPublicKey (RFC 8017 appendix A.1.1).
  package init(rsaPublicKey der: Span<UInt8>) throws(CryptoError) {
    self = try unsafe Self.read(der, "d2i_PublicKey") { unsafe d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1) }
  }

  private static func read(
    _ der: Span<UInt8>, _ function: String,
    _ parse: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
  ) throws(CryptoError) -> PublicComponents {
    guard (1...Certificate.maximumBytes).contains(der.count) else { throw CryptoError(.invalidKey, "public key") }
    ErrorQueue.clear()
    let (key, consumed) = unsafe DERKey.parse(der, parse)
    guard let key = unsafe key else { throw .library(function, code: .invalidKey) }
    let handle = unsafe KeyHandle(owning: key)
    guard consumed == der.count else { throw CryptoError(.invalidKey, "public key") }
    return try handle.publicComponents()
  }
}

/// Recognizes asymmetric keys in DER.
package enum DERKey {
  /// Whether the bytes begin with a public key (SubjectPublicKeyInfo, RSAPublicKey), a certificate or any private key.
  package static func isAtStart(of bytes: Span<UInt8>) -> Bool {
    // A SEQUENCE (X.690 section 8.9).
    guard bytes.count > 1, bytes[0] == 0x30 else { return false }
    defer { ErrorQueue.clear() }
    if let info = unsafe parse(bytes, { unsafe d2i_X509_PUBKEY(nil, &$0, $1) }).0 {
      unsafe X509_PUBKEY_free(info)
      return true
    }
    if let certificate = unsafe parse(bytes, { unsafe d2i_X509(nil, &$0, $1) }).0 {
      unsafe X509_free(certificate)
      return true
    }
    let key =
      unsafe parse(bytes) { unsafe d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1) }.0
      ?? parse(bytes) { unsafe d2i_AutoPrivateKey(nil, &$0, $1) }.0
    unsafe EVP_PKEY_free(key)
    return unsafe key != nil
  }

  /// - Returns: The object created by `function`, and the number of bytes that it read.
  fileprivate static func parse(
    _ bytes: Span<UInt8>, _ function: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
  ) -> (OpaquePointer?, Int) {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      let found = unsafe function(&position, buffer.count)
      guard let start = buffer.baseAddress, let position = unsafe position else { return unsafe (found, 0) }
      return unsafe (found, position - start)
    }
  }
}
