internal import Crypto

/// A vault file that is whole and well formed, but that anybody could have written.
///
/// Only the header and the slots may be relied on; they lead to the key that tells whether the
/// rest is authentic.
struct UnverifiedVaultFile {
  let header: VaultHeader
  let epochs: KeyEpochs
  let slots: [KeySlot]
  private let lastSlotNumber: UInt8
  private let generation: UInt64
  let records: [SealedRecord]
  private let authenticated: ArraySlice<UInt8>
  private let tag: ArraySlice<UInt8>

  /// Takes a file apart.
  ///
  /// - Throws: `unsupportedVersion`, or `damaged` for everything that we would not have written.
  init(parsing bytes: [UInt8]) throws(VaultError.Code) {
    var reader = ByteReader(bytes)
    header = try VaultHeader(from: &reader)
    generation = try reader.integer()
    epochs = try KeyEpochs(from: &reader)
    lastSlotNumber = try reader.integer()
    slots = try Self.slots(from: &reader)
    let entries = try Self.entries(from: &reader)
    let covered = reader.consumed
    guard try reader.take(VaultFormat.checkLength) == VaultFile.check(of: covered) else { throw .damaged }
    authenticated = reader.consumed
    tag = try reader.take(VaultFormat.tagLength)
    records = try Self.records(entries, from: &reader)
    guard reader.isAtEnd, bytes.count <= VaultFormat.maximumFileLength else { throw .damaged }
    guard Self.isOrdered(records, upTo: generation), isConsistent else { throw .damaged }
  }

  /// The file's content, now that its key is known.
  ///
  /// - Throws: `damaged` when the index was not written by a holder of the key.
  func verified(with key: DataKey) throws(VaultError.Code) -> VaultFile {
    let expected = try key.tag(of: authenticated)
    guard ConstantTime.isEqual(tag.span, expected.span) else { throw .damaged }
    return VaultFile(
      header: header, generation: generation, epochs: epochs, lastSlotNumber: lastSlotNumber, slots: slots,
      records: records)
  }

  /// The slots that lead to the key of a protection.
  func slots(of protection: Protection) -> [KeySlot] { slots.filter { $0.protection == protection } }

  private static func slots(from reader: inout ByteReader) throws(VaultError.Code) -> [KeySlot] {
    let count = Int(try reader.integer(UInt8.self))
    guard (1...VaultFormat.maximumSlots).contains(count) else { throw .damaged }
    var slots: [KeySlot] = []
    for _ in 0..<count { slots.append(try KeySlot(from: &reader)) }
    return slots
  }

  private static func entries(from reader: inout ByteReader) throws(VaultError.Code) -> [RecordEntry] {
    let count = Int(try reader.integer(UInt16.self))
    guard count <= VaultFormat.maximumRecords else { throw .damaged }
    var entries: [RecordEntry] = []
    for _ in 0..<count { entries.append(try RecordEntry(from: &reader)) }
    return entries
  }

  private static func records(
    _ entries: [RecordEntry], from reader: inout ByteReader
  ) throws(VaultError.Code) -> [SealedRecord] {
    var records: [SealedRecord] = []
    records.reserveCapacity(entries.count)
    for entry in entries {
      records.append(
        SealedRecord(
          name: entry.name, protection: entry.protection, generation: entry.generation, nonce: entry.nonce,
          sealed: try reader.take(entry.sealedLength)))
    }
    return records
  }

  /// Whether the slots are in order and all keys are of the vault's past, and there wherever a slot
  /// or a record needs one.
  private var isConsistent: Bool {
    zip(slots, slots.dropFirst()).allSatisfy { $0.number < $1.number }
      && slots.allSatisfy { $0.number <= lastSlotNumber && epochs[$0.protection] > 0 }
      && slots.contains { $0.protection == .device }
      && records.allSatisfy { epochs[$0.protection] > 0 } && epochs.newest <= generation
  }

  /// Whether the names ascend and each record was made by one of the vault's writes.
  private static func isOrdered(_ records: [SealedRecord], upTo generation: UInt64) -> Bool {
    zip(records, records.dropFirst()).allSatisfy { $0.name < $1.name }
      && records.allSatisfy { 0 < $0.generation && $0.generation <= generation }
  }
}
