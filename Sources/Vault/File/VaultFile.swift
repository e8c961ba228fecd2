internal import Crypto

/// The content of an authentic vault file, with encrypted records.
struct VaultFile: Sendable {
  let header: VaultHeader
  /// The number of the latest write.
  private(set) var generation: UInt64
  var epochs: KeyEpochs
  /// The highest slot number used so far.
  var lastSlotNumber: UInt8
  /// 1 to 16 slots, ordered by number.
  var slots: [KeySlot]
  /// Ordered by name.
  var records: [SealedRecord]

  func record(of name: AccountName) -> SealedRecord? {
    let index = index(of: name)
    return index < records.count && records[index].name == name ? records[index] : nil
  }

  /// Begins the next write, with a generation above `floor`.
  mutating func advance(above floor: UInt64) throws(VaultError) {
    let (next, overflow) = max(generation, floor).addingReportingOverflow(1)
    if overflow { throw VaultError(.damaged) }
    generation = next
  }

  /// Adds or replaces the account's record. Throws `tooManyAccounts` if the file would become too large.
  mutating func put(_ record: SealedRecord) throws(VaultError) {
    let index = index(of: record.name)
    if index < records.count, records[index].name == record.name {
      records[index] = record
    } else {
      guard records.count < VaultFormat.maximumRecords else { throw VaultError(.tooManyAccounts) }
      records.insert(record, at: index)
    }
    guard record.sealed.count <= VaultFormat.maximumContentLength + VaultFormat.sealOverhead,
      encodedLengthBound <= VaultFormat.maximumFileLength
    else { throw VaultError(.tooManyAccounts) }
  }

  mutating func remove(_ name: AccountName) {
    let index = index(of: name)
    if index < records.count, records[index].name == name { records.remove(at: index) }
  }

  /// Authenticated with the device key.
  func encoded(with key: DataKey) throws(VaultError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encodedLengthBound)
    bytes += header.encoded
    appendIndex(to: &bytes)
    bytes += try Self.checkBytes(of: bytes[...])
    bytes += try key.tag(of: bytes[...])
    for record in records { bytes += record.sealed }
    return bytes
  }

  /// Distinguishes damage from a wrong key.
  static func checkBytes(of bytes: ArraySlice<UInt8>) throws(VaultError) -> ArraySlice<UInt8> {
    let hash = try mapCryptoError { () throws(CryptoError) in try Digest.sha256.hash(bytes.span) }
    return hash.prefix(VaultFormat.checkLength)
  }

  private func appendIndex(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: generation)
    epochs.append(to: &bytes)
    bytes.append(lastSlotNumber)
    bytes.append(UInt8(slots.count))
    for slot in slots { slot.append(to: &bytes) }
    bytes.append(bigEndian: UInt16(records.count))
    for record in records { bytes += record.entry }
  }

  var encodedLengthBound: Int {
    let entry = 15 + AccountName.maximumLength + VaultFormat.nonceLength + VaultFormat.maximumSealedLabelLength
    let slotBytes = slots.reduce(0) { $0 + 6 + $1.body.count }
    return records.reduce(256 + slotBytes) { $0 + entry + $1.sealed.count }
  }

  /// The index of the account's record, or where to insert it.
  private func index(of name: AccountName) -> Int {
    var low = 0
    var high = records.count
    while low < high {
      let middle = (low + high) / 2
      if records[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
