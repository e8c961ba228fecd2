internal import Crypto

/// A complete and well-formed vault file, before authentication. Use only its header and slots.
struct UnverifiedVaultFile {
  private let content: VaultFile
  /// The bytes that ``tag`` authenticates.
  private let authenticated: ArraySlice<UInt8>
  private let tag: ArraySlice<UInt8>

  /// Throws `unsupportedVersion`, or `damaged` for a file that this program never writes.
  init(parsing bytes: [UInt8]) throws(VaultError) {
    var reader = ByteReader(bytes)
    let (header, version) = try VaultHeader.read(from: &reader)
    let generation: UInt64 = try reader.readInteger()
    let epochs = try KeyEpochs(from: &reader)
    let lastSlotNumber: UInt8 = try reader.readInteger()
    let slots = try Self.slots(from: &reader)
    let entries = try Self.entries(from: &reader, version: version)
    let covered = reader.consumed
    guard try reader.readBytes(VaultFormat.checkLength) == VaultFile.checkBytes(of: covered) else {
      throw VaultError(.damaged)
    }
    authenticated = reader.consumed
    tag = try reader.readBytes(VaultFormat.tagLength)
    content = VaultFile(
      header: header, generation: generation, epochs: epochs, lastSlotNumber: lastSlotNumber, slots: slots,
      records: try Self.records(entries, from: &reader))
    guard reader.isAtEnd, content.isOrdered, content.isConsistent else { throw VaultError(.damaged) }
  }

  var header: VaultHeader { content.header }
  var epochs: KeyEpochs { content.epochs }
  var slots: [KeySlot] { content.slots }
  var records: [SealedRecord] { content.records }

  /// Throws `damaged` if the index was not written with this key.
  func verified(with key: DataKey) throws(VaultError) -> VaultFile {
    let expected = try key.tag(of: authenticated)
    guard ConstantTime.isEqual(tag.span, expected.span) else { throw VaultError(.damaged) }
    return content
  }

  func slots(of protection: Protection) -> [KeySlot] { slots.filter { $0.protection == protection } }

  private static func slots(from reader: inout ByteReader) throws(VaultError) -> [KeySlot] {
    let count = Int(try reader.readInteger(UInt8.self))
    guard (1...VaultFormat.maximumSlots).contains(count) else { throw VaultError(.damaged) }
    var slots: [KeySlot] = []
    for _ in 0..<count { slots.append(try KeySlot(from: &reader)) }
    return slots
  }

  private static func entries(from reader: inout ByteReader, version: UInt16) throws(VaultError) -> [RecordEntry] {
    let count = Int(try reader.readInteger(UInt16.self))
    guard count <= VaultFormat.maximumRecords else { throw VaultError(.damaged) }
    var entries: [RecordEntry] = []
    for _ in 0..<count { entries.append(try RecordEntry(from: &reader, version: version)) }
    return entries
  }

  private static func records(
    _ entries: [RecordEntry], from reader: inout ByteReader
  ) throws(VaultError) -> [SealedRecord] {
    var records: [SealedRecord] = []
    records.reserveCapacity(entries.count)
    for entry in entries {
      let record = SealedRecord(
        name: entry.name, protection: entry.protection, generation: entry.generation, nonce: entry.nonce,
        sealed: try reader.readBytes(entry.sealedLength), label: entry.label)
      if !record.isErased { records.append(record) }
    }
    return records
  }
}

extension VaultFile {
  /// Whether slots are ordered, no key is newer than the file, and each slot and record has a key.
  fileprivate var isConsistent: Bool {
    zip(slots, slots.dropFirst()).allSatisfy { $0.number < $1.number }
      && slots.allSatisfy { $0.number <= lastSlotNumber && epochs[$0.protection] > 0 }
      && slots.contains { $0.protection == .device }
      && records.allSatisfy { epochs[$0.protection] > 0 } && epochs.newest <= generation
  }

  /// Whether names are ordered, and no record is newer than the file.
  fileprivate var isOrdered: Bool {
    zip(records, records.dropFirst()).allSatisfy { $0.name < $1.name }
      && records.allSatisfy { 0 < $0.generation && $0.generation <= generation }
  }
}
