internal import Vocabulary

/// One account's record, sealed as in the file. Copies of a file share their records: a write changes one of them.
final class SealedRecord: Sendable {
  let name: AccountName
  /// The protection whose key seals it.
  let protection: Protection
  /// The generation of the vault in the write that made this record.
  let generation: UInt64
  let nonce: [UInt8]
  /// Ciphertext and tag; shares the storage of the file it was read from.
  let sealed: ArraySlice<UInt8>
  /// Nonce, ciphertext and tag of the account's label, sealed with the key of the device; empty when there is none.
  let label: ArraySlice<UInt8>
  /// Its entry in the index.
  let entry: ArraySlice<UInt8>

  init(
    name: AccountName, protection: Protection, generation: UInt64, nonce: [UInt8], sealed: ArraySlice<UInt8>,
    label: ArraySlice<UInt8> = []
  ) {
    (self.name, self.protection, self.generation, self.nonce) = (name, protection, generation, nonce)
    (self.sealed, self.label) = (sealed, label)
    var bytes: [UInt8] = []
    bytes.append(UInt8(name.text.utf8.count))
    bytes += name.text.utf8
    bytes.append(protection.number)
    bytes.append(bigEndian: generation)
    bytes += nonce
    bytes.append(bigEndian: UInt32(sealed.count))
    bytes.append(UInt8(label.count))
    bytes += label
    entry = bytes[...]
  }

  /// The byte of a record that ``Vault/erase(_:generation:)`` has overwritten. No seal consists of it alone.
  static let erasedByte: UInt8 = 0xFF

  var isErased: Bool { !sealed.isEmpty && sealed.allSatisfy { $0 == Self.erasedByte } }

  /// The record with another label.
  func with(label: ArraySlice<UInt8>) -> SealedRecord {
    SealedRecord(
      name: name, protection: protection, generation: generation, nonce: nonce, sealed: sealed, label: label)
  }

  /// The data that the seal authenticates besides the content, so that no record can replace another one, a newer one
  /// of the same account, or one of another protection.
  func associatedData(header: VaultHeader) -> [UInt8] {
    Self.associatedData(header: header, name: name, protection: protection, generation: generation)
  }

  static func associatedData(
    header: VaultHeader, name: AccountName, protection: Protection, generation: UInt64
  ) -> [UInt8] {
    var bytes = header.bytes
    bytes.append(protection.number)
    bytes.append(bigEndian: generation)
    bytes += name.text.utf8
    return bytes
  }
}

/// A record's entry in the index, before the sealed bytes are reached.
struct RecordEntry {
  let name: AccountName
  let protection: Protection
  let generation: UInt64
  let nonce: [UInt8]
  let sealedLength: Int
  let label: ArraySlice<UInt8>

  init(from reader: inout ByteReader, version: UInt16) throws(VaultError) {
    let length = Int(try reader.integer(UInt8.self))
    guard let name = AccountName(bytes: try reader.take(length)),
      let protection = Protection(number: try reader.integer())
    else { throw VaultError(.damaged) }
    self.name = name
    self.protection = protection
    generation = try reader.integer()
    nonce = Array(try reader.take(VaultFormat.nonceLength))
    sealedLength = Int(try reader.integer(UInt32.self))
    let longest = VaultFormat.maximumContentLength + VaultFormat.sealOverhead
    guard (VaultFormat.sealOverhead...longest).contains(sealedLength) else { throw VaultError(.damaged) }
    label = version < 3 ? [] : try reader.take(Int(try reader.integer(UInt8.self)))
    let shortest = VaultFormat.nonceLength + VaultFormat.sealOverhead
    guard label.isEmpty || (shortest + 1...VaultFormat.maximumSealedLabelLength).contains(label.count)
    else { throw VaultError(.damaged) }
  }
}
