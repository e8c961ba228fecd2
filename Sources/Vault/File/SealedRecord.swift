/// An encrypted record. Copies of a file share unmodified records.
final class SealedRecord: Sendable {
  let name: AccountName
  let protection: Protection
  /// The vault's generation when this record was written.
  let generation: UInt64
  let nonce: [UInt8]
  /// Ciphertext and tag, in the file's storage.
  let sealed: ArraySlice<UInt8>
  /// The account's label under the device key: nonce, ciphertext and tag. Empty without a label.
  let label: ArraySlice<UInt8>
  /// The record's bytes in the file's index.
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

  /// The byte that ``Vault/erase(_:generation:)`` writes over a record. No ciphertext consists only of it.
  static let erasedByte: UInt8 = 0xFF

  /// Whether the record was erased, and counts as missing.
  var isErased: Bool { !sealed.isEmpty && sealed.allSatisfy { $0 == Self.erasedByte } }

  func with(label: ArraySlice<UInt8>) -> SealedRecord {
    SealedRecord(
      name: name, protection: protection, generation: generation, nonce: nonce, sealed: sealed, label: label)
  }

  /// The associated data, so that no other or older record can replace this one.
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

struct RecordEntry {
  let name: AccountName
  let protection: Protection
  let generation: UInt64
  let nonce: [UInt8]
  /// Of ciphertext and tag, in bytes.
  let sealedLength: Int
  let label: ArraySlice<UInt8>

  init(from reader: inout ByteReader, version: UInt16) throws(VaultError) {
    let length = Int(try reader.readInteger(UInt8.self))
    guard let name = AccountName(bytes: try reader.readBytes(length)),
      let protection = Protection(number: try reader.readInteger())
    else { throw VaultError(.damaged) }
    self.name = name
    self.protection = protection
    generation = try reader.readInteger()
    nonce = Array(try reader.readBytes(VaultFormat.nonceLength))
    sealedLength = Int(try reader.readInteger(UInt32.self))
    let longest = VaultFormat.maximumContentLength + VaultFormat.sealOverhead
    guard (VaultFormat.sealOverhead...longest).contains(sealedLength) else { throw VaultError(.damaged) }
    label = version < 3 ? [] : try reader.readBytes(Int(try reader.readInteger(UInt8.self)))
    let shortest = VaultFormat.nonceLength + VaultFormat.sealOverhead
    guard label.isEmpty || (shortest + 1...VaultFormat.maximumSealedLabelLength).contains(label.count)
    else { throw VaultError(.damaged) }
  }
}
