internal import Crypto

/// A key encrypted for one slot with another key: a nonce, then the AES-256-GCM ciphertext and tag.
enum WrappedKey {
  static let length = VaultFormat.nonceLength + DataKey.byteCount + VaultFormat.sealOverhead

  static func seal(
    _ key: DataKey, under wrappingKey: borrowing SecretBytes, for context: SlotContext
  ) throws(CryptoError) -> [UInt8] {
    let nonce = try Random.bytes(VaultFormat.nonceLength)
    let associated = context.associatedData
    let sealed = try key.secret.withBytes { (bytes) throws(CryptoError) in
      try AES256GCM.seal(bytes, key: wrappingKey, nonce: nonce, associatedData: associated.span)
    }
    return nonce + sealed
  }

  /// Throws `authenticationFailed` if the wrapping key is wrong.
  static func open(
    _ bytes: ArraySlice<UInt8>, under wrappingKey: borrowing SecretBytes, for context: SlotContext
  ) throws(CryptoError) -> SecretBytes {
    let nonce = Array(bytes.prefix(VaultFormat.nonceLength))
    let sealed = bytes.dropFirst(VaultFormat.nonceLength)
    let associated = context.associatedData
    return try AES256GCM.open(sealed.span, key: wrappingKey, nonce: nonce, associatedData: associated.span)
  }
}
