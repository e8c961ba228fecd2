internal import Crypto

/// The key of one vault. It seals and opens records and vouches for the index.
///
/// What it holds lies on the secure heap and is wiped when the last owner lets go.
final class DataKey: Sendable {
  static let byteCount = 32

  /// The vault that this key belongs to.
  let header: VaultHeader
  private let recordKey: SecretBytes
  private let indexKey: SecretBytes

  /// Derives the working keys. `secret` is not kept.
  init(_ secret: borrowing SecretBytes, header: VaultHeader) throws(VaultError.Code) {
    self.header = header
    do {
      recordKey = try Self.derive("agent vault records v1", from: secret, header: header)
      indexKey = try Self.derive("agent vault index v1", from: secret, header: header)
    } catch {
      throw VaultError.Code(error)
    }
  }

  /// Seals the content of an account under a fresh nonce.
  func seal(
    _ content: borrowing SecretBytes, for name: AccountName, generation: UInt64
  ) throws(VaultError.Code) -> SealedRecord {
    do {
      let nonce = try Random.bytes(VaultFormat.nonceLength)
      let associated = SealedRecord.associatedData(header: header, name: name, generation: generation)
      let sealed = try content.withBytes { (bytes) throws(CryptoError) in
        try AES256GCM.seal(bytes, key: recordKey, nonce: nonce, associatedData: associated.span)
      }
      return SealedRecord(name: name, generation: generation, nonce: nonce, sealed: sealed[...])
    } catch {
      throw VaultError.Code(error)
    }
  }

  /// Opens one record.
  ///
  /// - Throws: `damaged` when a bit of it, its name or its generation has changed.
  func open(_ record: SealedRecord) throws(VaultError.Code) -> SecretBytes {
    let associated = record.associatedData(header: header)
    do {
      return try AES256GCM.open(
        record.sealed.span, key: recordKey, nonce: record.nonce, associatedData: associated.span)
    } catch {
      throw VaultError.Code(error)
    }
  }

  /// The authentication tag of header, index and check.
  func tag(of bytes: ArraySlice<UInt8>) throws(VaultError.Code) -> [UInt8] {
    do {
      return try indexKey.withBytes { (key) throws(CryptoError) in try HMAC.sha256(key: key, bytes.span) }
    } catch {
      throw VaultError.Code(error)
    }
  }

  private static func derive(
    _ purpose: String, from secret: borrowing SecretBytes, header: VaultHeader
  ) throws(CryptoError) -> SecretBytes {
    let info = Array(purpose.utf8)
    return try secret.withBytes { (bytes) throws(CryptoError) in
      try HKDF.sha256(secret: bytes, salt: header.bytes.span, info: info.span, count: AES256GCM.keyByteCount)
    }
  }
}
