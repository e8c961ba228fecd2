internal import Vocabulary

/// One way to open the key of a protection: a kind, and a body in the format of that kind.
///
/// A slot whose kind this program does not know is kept byte for byte.
struct KeySlot: Sendable, Hashable {
  /// Identifies the slot; never used for another slot of the same vault.
  let number: UInt8
  /// The number of the kind in the file, which this program may not know.
  let kindNumber: UInt16
  /// The protection whose key the slot holds.
  let protection: Protection
  /// 0 to 4,096 bytes.
  let body: [UInt8]

  init(_ context: SlotContext, body: [UInt8]) {
    number = context.number
    kindNumber = context.kind.rawValue
    protection = context.protection
    self.body = body
  }

  /// Reads a slot from an index.
  init(from reader: inout ByteReader) throws(VaultError) {
    number = try reader.integer()
    kindNumber = try reader.integer()
    guard number > 0, let protection = Protection(number: try reader.integer()) else { throw VaultError(.damaged) }
    self.protection = protection
    let length = Int(try reader.integer(UInt16.self))
    guard length <= VaultFormat.maximumSlotLength else { throw VaultError(.damaged) }
    body = Array(try reader.take(length))
  }

  var kind: SlotKind? { SlotKind(rawValue: kindNumber) }

  /// The name of the kind, or its number when it is unknown.
  var displayName: String { kind?.name ?? "unknown-\(kindNumber)" }

  /// Whether it is opened without a passphrase or PIN.
  var isAutomatic: Bool {
    switch kind {
    case .host, .tpm2: protection == .device
    case .passphrase, nil: false
    }
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(number)
    bytes.append(bigEndian: kindNumber)
    bytes.append(protection.number)
    bytes.append(bigEndian: UInt16(body.count))
    bytes += body
  }
}
