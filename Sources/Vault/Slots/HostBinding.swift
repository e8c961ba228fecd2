internal import Crypto

/// Wraps a key for this device secret, machine and user, with HKDF-SHA-256 of the device secret and the machine ID as
/// salt. The slot's body is the wrapped key.
struct HostBinding: Sendable {
  private static let purpose = Array("agent vault host slot v2".utf8)

  /// Missing in many containers. Keys then depend only on the device secret and user.
  let machineIdentity: [UInt8]?
  let userID: UInt32

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

  /// Throws `damaged` for a wrong length, or `foreignDevice` for another secret, machine or user. Other damage is
  /// impossible: the caller has verified the check bytes.
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

  /// Derives bytes from `secret` for this machine and user.
  func derive(_ purpose: [UInt8], from secret: borrowing SecretBytes, count: Int) throws(CryptoError) -> SecretBytes {
    let salt = machineIdentity ?? []
    var info = purpose
    info.append(bigEndian: userID)
    return try secret.withBytes { (secret) throws(CryptoError) in
      try HKDF.sha256(secret: secret, salt: salt.span, info: info.span, count: count)
    }
  }
}
