internal import COpenSSL

/// A libcrypto operation on a key: generation, check, derivation or signing.
@safe struct KeyContext: ~Copyable {
  let raw: OpaquePointer

  private init(_ context: OpaquePointer?, _ operation: String) throws(CryptoError) {
    guard let context = unsafe context else { throw .library(operation) }
    unsafe raw = context
  }

  /// `type` is libcrypto's name for a key type.
  init(newKeyNamed type: String) throws(CryptoError) {
    try unsafe self.init(EVP_PKEY_CTX_new_from_name(nil, type, nil), "EVP_PKEY_CTX_new_from_name")
  }

  /// `properties` is libcrypto's query for the implementation, such as `provider=tpm2`.
  init(newKeyNamed type: String, in library: borrowing LibraryContext, properties: String) throws(CryptoError) {
    try unsafe self.init(EVP_PKEY_CTX_new_from_name(library.raw, type, properties), "EVP_PKEY_CTX_new_from_name")
  }

  init(
    for key: borrowing KeyHandle, in library: borrowing LibraryContext, properties: String
  ) throws(CryptoError) {
    try unsafe self.init(EVP_PKEY_CTX_new_from_pkey(library.raw, key.raw, properties), "EVP_PKEY_CTX_new_from_pkey")
  }

  init(for key: borrowing KeyHandle) throws(CryptoError) {
    try unsafe self.init(EVP_PKEY_CTX_new(key.raw, nil), "EVP_PKEY_CTX_new")
  }

  deinit {
    unsafe EVP_PKEY_CTX_free(raw)
  }

  /// Signs a SHA-256 hash. Returns DER for ECDSA.
  borrowing func sign(_ digest: [UInt8]) throws(CryptoError) -> [UInt8] {
    try check(unsafe EVP_PKEY_sign_init(raw), "EVP_PKEY_sign_init")
    try check(unsafe EVP_PKEY_CTX_set_signature_md(raw, Digest.sha256.implementation), "EVP_PKEY_CTX_set_signature_md")
    var signature = [UInt8](repeating: 0, count: 256)
    var length = signature.count
    try check(unsafe EVP_PKEY_sign(raw, &signature, &length, digest, digest.count), "EVP_PKEY_sign")
    signature.removeSubrange(length...)
    return signature
  }
}
