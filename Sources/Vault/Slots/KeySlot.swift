/// One way to unwrap the key of a protection level. Slots of unknown kinds are preserved.
struct KeySlot: Sendable, Hashable {
  /// Never reused in the same vault.
  let number: UInt8
  /// May be unknown.
  let kindNumber: UInt16
  let protection: Protection
  /// The wrapped key with its parameters, in the kind's format: 0 to 4,096 bytes.
  let body: [UInt8]

  init(_ context: SlotContext, body: [UInt8]) {
    number = context.number
    kindNumber = context.kind.rawValue
    protection = context.protection
    self.body = body
  }

  init(from reader: inout ByteReader) throws(VaultError) {
    number = try reader.readInteger()
    kindNumber = try reader.readInteger()
    guard number > 0, let protection = Protection(number: try reader.readInteger()) else { throw VaultError(.damaged) }
    self.protection = protection
    let length = Int(try reader.readInteger(UInt16.self))
    guard length <= VaultFormat.maximumSlotLength else { throw VaultError(.damaged) }
    body = Array(try reader.readBytes(length))
  }

  var kind: SlotKind? { SlotKind(rawValue: kindNumber) }

  /// The number if the kind is unknown.
  var displayName: String { kind?.name ?? "unknown-\(kindNumber)" }

  /// Whether the slot opens without a passphrase or PIN.
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
