internal import Crypto

/// The key of a protection level, which encrypts its records; the device key also authenticates the index. On the
/// secure heap, wiped when released.
final class DataKey: Sendable {
  static let byteCount = 32

  let header: VaultHeader
  let protection: Protection
  /// The vault's generation at the key's creation.
  let epoch: UInt64
  /// The key's bytes, as wrapped in slots.
  let secret: SecretBytes
  private let recordKey: SecretBytes
  private let indexKey: SecretBytes

  init(
    _ secret: consuming SecretBytes, header: VaultHeader, protection: Protection, epoch: UInt64
  ) throws(VaultError) {
    self.header = header
    self.protection = protection
    self.epoch = epoch
    do {
      recordKey = try Self.derive("agent vault records v2", from: secret, header, protection, epoch)
      indexKey = try Self.derive("agent vault index v2", from: secret, header, protection, epoch)
    } catch {
      throw VaultError(error)
    }
    self.secret = secret
  }

  static func new(for protection: Protection, header: VaultHeader, epoch: UInt64) throws(VaultError) -> DataKey {
    let secret = try mapCryptoError { () throws(CryptoError) in try SecretBytes.random(byteCount) }
    return try DataKey(secret, header: header, protection: protection, epoch: epoch)
  }

  /// Encrypts an account's content with a new random nonce. `label` is already encrypted.
  func seal(
    _ content: borrowing SecretBytes, label: ArraySlice<UInt8>, for name: AccountName, generation: UInt64
  ) throws(VaultError) -> SealedRecord {
    do {
      let nonce = try Random.bytes(VaultFormat.nonceLength)
      let associated = SealedRecord.associatedData(
        header: header, name: name, protection: protection, generation: generation)
      let sealed = try content.withBytes { (bytes) throws(CryptoError) in
        try AES256GCM.seal(bytes, key: recordKey, nonce: nonce, associatedData: associated.span)
      }
      return SealedRecord(
        name: name, protection: protection, generation: generation, nonce: nonce, sealed: sealed[...],
        label: label)
    } catch {
      throw VaultError(error)
    }
  }

  /// Throws `damaged` if the record, its name, level or generation was modified.
  func open(_ record: SealedRecord) throws(VaultError) -> SecretBytes {
    let (associated, sealed) = (record.associatedData(header: header), record.sealed)
    do {
      return try AES256GCM.open(
        sealed.span, key: recordKey, nonce: record.nonce, associatedData: associated.span)
    } catch {
      throw VaultError(error)
    }
  }

  /// Encrypts an account's label with a new random nonce; empty for nil. The index authenticates the result.
  func seal(_ label: PersonLabel?, for name: AccountName) throws(VaultError) -> ArraySlice<UInt8> {
    guard let label else { return [] }
    return try mapCryptoError { () throws(CryptoError) in
      let nonce = try Random.bytes(VaultFormat.nonceLength)
      let text = Array(label.text.utf8)
      return try
        (nonce
        + AES256GCM.seal(text.span, key: recordKey, nonce: nonce, associatedData: labelData(name).span))[...]
    }
  }

  /// Throws `damaged` if the label or name was modified.
  func openLabel(of record: SealedRecord) throws(VaultError) -> PersonLabel? {
    guard !record.label.isEmpty else { return nil }
    let (nonce, sealed) = (
      record.label.prefix(VaultFormat.nonceLength), record.label.dropFirst(VaultFormat.nonceLength)
    )
    let text = try mapCryptoError { () throws(CryptoError) in
      try AES256GCM.open(
        sealed.span, key: recordKey, nonce: Array(nonce), associatedData: labelData(record.name).span)
    }
    return text.withBytes { PersonLabel(decoding: $0) }
  }

  /// Distinct from a record's associated data, so that label and record cannot be swapped.
  private func labelData(_ name: AccountName) -> [UInt8] { header.bytes + Array("label of ".utf8) + name.text.utf8 }

  /// The tag (HMAC-SHA-256) of header, index and check bytes.
  func tag(of bytes: ArraySlice<UInt8>) throws(VaultError) -> [UInt8] {
    do {
      return try indexKey.withBytes { (key) throws(CryptoError) in try HMAC.sha256(key: key, bytes.span) }
    } catch {
      throw VaultError(error)
    }
  }

  private static func derive(
    _ purpose: String, from secret: borrowing SecretBytes, _ header: VaultHeader, _ protection: Protection,
    _ epoch: UInt64
  ) throws(CryptoError) -> SecretBytes {
    var info = Array(purpose.utf8) + [protection.number]
    info.append(bigEndian: epoch)
    return try secret.withBytes { (bytes) throws(CryptoError) in
      try HKDF.sha256(secret: bytes, salt: header.bytes.span, info: info.span, count: AES256GCM.keyByteCount)
    }
  }
}
