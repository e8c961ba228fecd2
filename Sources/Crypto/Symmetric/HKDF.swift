internal import COpenSSL

/// Key derivation (RFC 5869).
package enum HKDF {
  /// Derives 1...8,160 bytes.
  ///
  /// - Parameters:
  ///   - secret: The input keying material, 1...65,536 bytes.
  ///   - salt: Not secret; may be empty. At most 1,024 bytes.
  ///   - info: The key's purpose, at most 1,024 bytes.
  package static func sha256(
    secret: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int
  ) throws(CryptoError) -> SecretBytes {
    guard (1...65_536).contains(secret.count), salt.count <= 1024, info.count <= 1024, (1...8160).contains(count)
    else { throw CryptoError(.invalidLength, "HKDF") }
    ErrorQueue.clear()
    let context = try KeyContext(newKeyNamed: "HKDF")
    try check(unsafe EVP_PKEY_derive_init(context.raw), "EVP_PKEY_derive_init")
    try check(unsafe EVP_PKEY_CTX_set_hkdf_md(context.raw, EVP_sha256()), "EVP_PKEY_CTX_set_hkdf_md")
    // libcrypto copies all inputs and wipes its copy of the secret.
    try check(
      unsafe secret.withUnsafeBufferPointer { bytes in
        unsafe EVP_PKEY_CTX_set1_hkdf_key(context.raw, bytes.baseAddress, Int32(bytes.count))
      }, "EVP_PKEY_CTX_set1_hkdf_key")
    if !salt.isEmpty {
      try check(
        unsafe salt.withUnsafeBufferPointer { bytes in
          unsafe EVP_PKEY_CTX_set1_hkdf_salt(context.raw, bytes.baseAddress, Int32(bytes.count))
        }, "EVP_PKEY_CTX_set1_hkdf_salt")
    }
    if !info.isEmpty {
      try check(
        unsafe info.withUnsafeBufferPointer { bytes in
          unsafe EVP_PKEY_CTX_add1_hkdf_info(context.raw, bytes.baseAddress, Int32(bytes.count))
        }, "EVP_PKEY_CTX_add1_hkdf_info")
    }
    return try derive(count, from: context)
  }

  private static func derive(_ count: Int, from context: borrowing KeyContext) throws(CryptoError) -> SecretBytes {
    var key = try SecretBytes(zeroed: count)
    var length = count
    let status = key.withMutableBytes { bytes in
      unsafe bytes.withUnsafeMutableBufferPointer { unsafe EVP_PKEY_derive(context.raw, $0.baseAddress, &length) }
    }
    try check(status, "EVP_PKEY_derive")
    guard length == count else { throw CryptoError(.libraryFailure, "EVP_PKEY_derive") }
    return key
  }
}
