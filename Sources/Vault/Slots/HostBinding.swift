internal import Crypto

/// Wraps a key so that it opens only with this device secret, on this machine, for this user.
///
/// The wrapping key is HKDF-SHA-256 of the device secret, with the machine id as salt. The slot's
/// body is the wrapped key.
struct HostBinding: Sendable {
  private static let purpose = Array("agent vault host slot v2".utf8)

  /// Nil where the machine has no id, as in many containers: then the device secret stands alone.
  let machineIdentity: [UInt8]?
  let userID: UInt32

  /// The body of a host slot.
  func wrap(
    _ key: DataKey, under deviceSecret: borrowing SecretBytes, for context: SlotContext
  ) throws(VaultError.Code) -> [UInt8] {
    do {
      let wrappingKey = try derive(Self.purpose, from: deviceSecret, count: AES256GCM.keyByteCount)
      return try WrappedKey.seal(key, under: wrappingKey, for: context)
    } catch {
      throw VaultError.Code(error)
    }
  }

  /// Gets the key out of a host slot.
  ///
  /// - Throws: `foreignDevice` when the slot was made with another secret, machine or user.
  ///   The caller has made sure that the slot is not merely damaged.
  func unwrap(
    _ body: [UInt8], under deviceSecret: borrowing SecretBytes, for context: SlotContext
  ) throws(VaultError.Code) -> SecretBytes {
    guard body.count == WrappedKey.length else { throw .damaged }
    do {
      let wrappingKey = try derive(Self.purpose, from: deviceSecret, count: AES256GCM.keyByteCount)
      return try WrappedKey.open(body[...], under: wrappingKey, for: context)
    } catch {
      throw error.code == .authenticationFailed ? .foreignDevice : VaultError.Code(error)
    }
  }

  /// Bytes that only this machine and user derive from `secret`.
  func derive(_ purpose: [UInt8], from secret: borrowing SecretBytes, count: Int) throws(CryptoError) -> SecretBytes {
    let salt = machineIdentity ?? []
    var info = purpose
    info.append(bigEndian: userID)
    return try secret.withBytes { (secret) throws(CryptoError) in
      try HKDF.sha256(secret: secret, salt: salt.span, info: info.span, count: count)
    }
  }
}
