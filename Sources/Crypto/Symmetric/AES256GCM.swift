/// Authenticated encryption: AES-256 in Galois/Counter Mode (NIST SP 800-38D). Never reuse a nonce with the same key.
package enum AES256GCM {
  package static let keyByteCount = 32
  static let nonceByteCount = 12
  package static let tagByteCount = 16

  /// Encrypts at most 2^30 bytes. Returns the ciphertext and the 16-byte tag.
  ///
  /// - Parameter associatedData: Authenticated but not part of the result. At most 2^30 bytes.
  package static func seal(
    _ plaintext: Span<UInt8>, key: borrowing SecretBytes, nonce: [UInt8], associatedData: Span<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    try checkLengths(plaintext.count, key.count, nonce.count, associatedData.count)
    ErrorQueue.clear()
    let context = try CipherContext(.encrypt, key: key, nonce: nonce)
    try context.authenticate(associatedData)
    var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
    var output = ciphertext.mutableSpan
    try context.update(plaintext, into: &output)
    return ciphertext + (try context.finishEncryption(tagByteCount: tagByteCount))
  }

  /// Decrypts at most 262,160 bytes. Throws `authenticationFailed` if any input differs.
  package static func open(
    _ sealed: Span<UInt8>, key: borrowing SecretBytes, nonce: [UInt8], associatedData: Span<UInt8>
  ) throws(CryptoError) -> SecretBytes {
    try checkLengths(sealed.count, key.count, nonce.count, associatedData.count)
    guard sealed.count >= tagByteCount else { throw CryptoError(.authenticationFailed, "AES-256-GCM") }
    let end = sealed.count - tagByteCount
    ErrorQueue.clear()
    let context = try CipherContext(.decrypt, key: key, nonce: nonce)
    try context.authenticate(associatedData)
    var plaintext = try SecretBytes(zeroed: end)
    try plaintext.withMutableBytes { (output) throws(CryptoError) in
      try context.update(sealed.extracting(0..<end), into: &output)
    }
    try context.finishDecryption(expecting: sealed.extracting(end...))
    return plaintext
  }

  private static func checkLengths(_ text: Int, _ key: Int, _ nonce: Int, _ data: Int) throws(CryptoError) {
    guard text <= 1 << 30, data <= 1 << 30, key == keyByteCount, nonce == nonceByteCount
    else { throw CryptoError(.invalidLength, "AES-256-GCM") }
  }
}
