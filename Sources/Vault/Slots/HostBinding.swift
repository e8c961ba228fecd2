internal import Crypto

/// Wraps a key so that it opens only with this device secret, on this machine, for this user.
///
/// The wrapping key is HKDF-SHA-256 of the device secret, with the machine id as salt. The slot's
/// body is the wrapped key.
struct HostBinding: Sendable {
  private static let purpose = Array("agent vault host slot v2".utf8)

  /// The machine id; nil where there is none, as in many containers. The device secret is then the only input.
  let machineIdentity: [UInt8]?
  let userID: UInt32

  /// The body of a host slot.
  func wrap(
    _ key: DataKey, under deviceSecret: borrowing SecretBytes, for context: SlotContext
  ) throws(VaultError) -> [UInt8] {
    do {
      let wrappingKey = try derive(Self.purpose, from: deviceSecret, count: AES256GCM.keyByteCount)
      return try WrappedKey.seal(key, under: wrappingKey, for: context)
    } catch {
      throw VaultError(error)
    }
  }

  /// Gets the key out of a host slot.
  ///
  /// - Throws: `foreignDevice` when the slot was made with another secret, machine or user. The caller has verified the
  ///   check bytes of the file, so the slot is not damaged.
  func unwrap(
    _ body: [UInt8], under deviceSecret: borrowing SecretBytes, for context: SlotContext
  ) throws(VaultError) -> SecretBytes {
    guard body.count == WrappedKey.length else { throw VaultError(.damaged) }
    do {
      let wrappingKey = try derive(Self.purpose, from: deviceSecret, count: AES256GCM.keyByteCount)
      return try WrappedKey.open(body[...], under: wrappingKey, for: context)
    } catch {
      throw error.code == .authenticationFailed ? VaultError(.foreignDevice) : VaultError(error)
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
