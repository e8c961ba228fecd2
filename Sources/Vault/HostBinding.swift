internal import Crypto

/// Wraps a data key so that it opens only with this device secret, on this machine, for this user.
///
/// The wrapping key is HKDF-SHA-256 of the device secret, with the machine id as salt. The slot's
/// body is a nonce and the data key under AES-256-GCM.
struct HostBinding: Sendable {
  private static let purpose = Array("agent vault host slot v1".utf8)
  private static let bodyLength =
    VaultFormat.nonceLength + DataKey.byteCount + VaultFormat.sealOverhead

  /// Nil where the machine has no id, as in many containers: then the device secret stands alone.
  let machineIdentity: [UInt8]?
  let userID: UInt32

  /// Makes the host slot of a vault.
  func wrap(
    _ dataKey: borrowing SecretBytes, under deviceSecret: borrowing SecretBytes, header: VaultHeader
  ) throws(VaultError.Code) -> KeySlot {
    do {
      let wrappingKey = try wrappingKey(from: deviceSecret)
      let nonce = try Random.bytes(VaultFormat.nonceLength)
      let associated = associatedData(header)
      let sealed = try dataKey.withBytes { (bytes) throws(CryptoError) in
        try AES256GCM.seal(bytes, key: wrappingKey, nonce: nonce, associatedData: associated.span)
      }
      return KeySlot(.host, body: nonce + sealed)
    } catch {
      throw VaultError.Code(error)
    }
  }

  /// Gets the data key out of a host slot.
  ///
  /// - Throws: `foreignDevice` when the slot was made with another secret, machine or user.
  ///   The caller has made sure that the slot is not merely damaged.
  func unwrap(
    _ slot: KeySlot, under deviceSecret: borrowing SecretBytes, header: VaultHeader
  ) throws(VaultError.Code) -> SecretBytes {
    guard slot.body.count == Self.bodyLength else { throw .damaged }
    let nonce = Array(slot.body.prefix(VaultFormat.nonceLength))
    let sealed = Array(slot.body.dropFirst(VaultFormat.nonceLength))
    do {
      let wrappingKey = try wrappingKey(from: deviceSecret)
      let associated = associatedData(header)
      return try AES256GCM.open(sealed.span, key: wrappingKey, nonce: nonce, associatedData: associated.span)
    } catch {
      throw error.code == .authenticationFailed ? .foreignDevice : VaultError.Code(error)
    }
  }

  private func wrappingKey(from deviceSecret: borrowing SecretBytes) throws(CryptoError) -> SecretBytes {
    let salt = machineIdentity ?? []
    var info = Self.purpose
    info.append(bigEndian: userID)
    return try deviceSecret.withBytes { (secret) throws(CryptoError) in
      try HKDF.sha256(secret: secret, salt: salt.span, info: info.span, count: AES256GCM.keyByteCount)
    }
  }

  private func associatedData(_ header: VaultHeader) -> [UInt8] {
    var bytes = header.bytes
    bytes.append(bigEndian: KeySlot.Kind.host.rawValue)
    return bytes
  }
}
