internal import COpenSSL

/// A libcrypto signature operation. Threads may share one only to copy it, which does not modify it.
@safe struct SignatureContext: ~Copyable, @unchecked Sendable {
  private let raw: OpaquePointer

  deinit {
    unsafe EVP_MD_CTX_free(raw)
  }

  enum Purpose { case signing, verifying }

  private init() throws(CryptoError) {
    guard let context = unsafe EVP_MD_CTX_new() else { throw .library("EVP_MD_CTX_new") }
    unsafe raw = context
  }

  /// Faster than a new context, which looks up algorithms by name.
  borrowing func copy() throws(CryptoError) -> SignatureContext {
    let copy = try SignatureContext()
    try check(unsafe EVP_MD_CTX_copy_ex(copy.raw, raw), "EVP_MD_CTX_copy_ex")
    return copy
  }

  static func begin(
    _ purpose: Purpose, _ algorithm: SignatureAlgorithm, with key: borrowing KeyHandle
  ) throws(CryptoError) -> SignatureContext {
    let context = try SignatureContext()
    // The options belong to the context.
    var options: OpaquePointer?
    let digest = unsafe algorithm.digest?.implementation
    switch purpose {
    case .signing:
      try check(unsafe EVP_DigestSignInit(context.raw, &options, digest, nil, key.raw), "EVP_DigestSignInit")
    case .verifying:
      try check(unsafe EVP_DigestVerifyInit(context.raw, &options, digest, nil, key.raw), "EVP_DigestVerifyInit")
    }
    if case .rsaPSS(let digest) = algorithm { try unsafe setPSS(digest, options) }
    return context
  }

  /// RFC 7518 section 3.5.
  private static func setPSS(_ digest: Digest, _ options: OpaquePointer?) throws(CryptoError) {
    try check(unsafe EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING), "EVP_PKEY_CTX_set_rsa_padding")
    try check(
      unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(options, digest.implementation), "EVP_PKEY_CTX_set_rsa_mgf1_md")
    try check(
      unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST), "EVP_PKEY_CTX_set_rsa_pss_saltlen")
  }

  borrowing func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
    let status = unsafe signature.withUnsafeBufferPointer { signature in
      unsafe message.withUnsafeBufferPointer { message in
        unsafe EVP_DigestVerify(raw, signature.baseAddress, signature.count, message.baseAddress, message.count)
      }
    }
    ErrorQueue.clear()
    return status == 1
  }

  /// Returns libcrypto's format: DER for ECDSA. `limit` is the maximum length in bytes.
  borrowing func sign(_ message: Span<UInt8>, limit: Int) throws(CryptoError) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: limit)
    var length = signature.count
    let status = unsafe message.withUnsafeBufferPointer { message in
      unsafe EVP_DigestSign(raw, &signature, &length, message.baseAddress, message.count)
    }
    try check(status, "EVP_DigestSign")
    signature.removeSubrange(length...)
    return signature
  }
}
