internal import COpenSSL

/// A libcrypto operation with AES-256-GCM.
@safe struct CipherContext: ~Copyable {
  enum Direction: Int32 {
    case decrypt = 0
    case encrypt = 1
  }

  private let raw: OpaquePointer

  init(_ direction: Direction, key: borrowing SecretBytes, nonce: [UInt8]) throws(CryptoError) {
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
    let status = key.withBytes { key in
      unsafe key.withUnsafeBufferPointer { key in
        unsafe EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, key.baseAddress, nonce, direction.rawValue)
      }
    }
    guard status == 1 else {
      unsafe EVP_CIPHER_CTX_free(context)
      throw .library("EVP_CipherInit_ex")
    }
    unsafe raw = context
  }

  deinit {
    unsafe EVP_CIPHER_CTX_free(raw)
  }

  /// Adds associated data. Must precede ``update(_:into:)``.
  borrowing func authenticate(_ data: Span<UInt8>) throws(CryptoError) {
    if data.isEmpty { return }
    var written: Int32 = 0
    let status = unsafe data.withUnsafeBufferPointer { data in
      unsafe EVP_CipherUpdate(raw, nil, &written, data.baseAddress, Int32(data.count))
    }
    try check(status, "EVP_CipherUpdate")
  }

  /// Encrypts or decrypts `text` into `output`.
  borrowing func update(_ text: Span<UInt8>, into output: inout MutableSpan<UInt8>) throws(CryptoError) {
    precondition(output.count >= text.count)
    if text.isEmpty { return }
    var written: Int32 = 0
    let status = unsafe text.withUnsafeBufferPointer { text in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe EVP_CipherUpdate(raw, output.baseAddress, &written, text.baseAddress, Int32(text.count))
      }
    }
    try check(status, "EVP_CipherUpdate")
    guard Int(written) == text.count else { throw CryptoError(.libraryFailure, "EVP_CipherUpdate") }
  }

  borrowing func finishEncryption(tagByteCount: Int) throws(CryptoError) -> [UInt8] {
    try check(finish(), "EVP_CipherFinal_ex")
    var tag = [UInt8](repeating: 0, count: tagByteCount)
    try check(unsafe EVP_CIPHER_CTX_ctrl(raw, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag), "EVP_CIPHER_CTX_ctrl")
    return tag
  }

  /// Throws `authenticationFailed` if the tag is wrong.
  borrowing func finishDecryption(expecting tag: Span<UInt8>) throws(CryptoError) {
    let status = unsafe tag.withUnsafeBufferPointer { tag in
      // libcrypto's parameter is mutable, but only read.
      unsafe EVP_CIPHER_CTX_ctrl(
        raw, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), UnsafeMutablePointer(mutating: tag.baseAddress))
    }
    try check(status, "EVP_CIPHER_CTX_ctrl")
    guard finish() == 1 else {
      ErrorQueue.clear()
      throw CryptoError(.authenticationFailed, "AES-256-GCM")
    }
  }

  private borrowing func finish() -> Int32 {
    // Writes nothing, but libcrypto requires a buffer.
    var unused = [UInt8](repeating: 0, count: 16)
    var written: Int32 = 0
    return unsafe EVP_CipherFinal_ex(raw, &unused, &written)
  }
}
