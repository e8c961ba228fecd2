/// Identifies a slot. Authenticated with the wrapped key, so that no key of another slot, vault or epoch replaces it.
struct SlotContext: Sendable {
  let number: UInt8
  let kind: SlotKind
  let protection: Protection
  let header: VaultHeader
  /// The vault's generation at the key's creation.
  let epoch: UInt64
}

extension SlotContext {
  init(of slot: KeySlot, kind: SlotKind, header: VaultHeader, epochs: KeyEpochs) {
    self.init(
      number: slot.number, kind: kind, protection: slot.protection, header: header, epoch: epochs[slot.protection])
  }

  init(number: UInt8, kind: SlotKind, for key: DataKey) {
    self.init(number: number, kind: kind, protection: key.protection, header: key.header, epoch: key.epoch)
  }

  var associatedData: [UInt8] {
    var bytes = header.bytes
    bytes.append(number)
    bytes.append(bigEndian: kind.rawValue)
    bytes.append(protection.number)
    bytes.append(bigEndian: epoch)
    return bytes
  }
}
