extension VaultFile {
  /// Throws `noSuchSlot`.
  func slot(_ number: Int) throws(VaultError) -> KeySlot {
    guard let slot = slots.first(where: { $0.number == number }) else { throw VaultError(.noSuchSlot) }
    return slot
  }

  func slots(of protection: Protection) -> [KeySlot] { slots.filter { $0.protection == protection } }

  func recordCount(of protection: Protection) -> Int { records.count { $0.protection == protection } }

  func context(of slot: KeySlot, kind: SlotKind) -> SlotContext {
    SlotContext(of: slot, kind: kind, header: header, epochs: epochs)
  }

  /// The context of a new slot for `key`, with an unused number. Throws `tooManySlots` without a free slot or number.
  func nextContext(_ kind: SlotKind, for key: DataKey) throws(VaultError) -> SlotContext {
    guard slots.count < VaultFormat.maximumSlots, lastSlotNumber < VaultFormat.maximumSlotNumber
    else { throw VaultError(.tooManySlots) }
    return SlotContext(number: lastSlotNumber + 1, kind: kind, for: key)
  }

  /// Adds a slot created for ``nextContext(_:for:)``.
  mutating func addSlot(_ slot: KeySlot) {
    lastSlotNumber = slot.number
    slots.append(slot)
  }

  mutating func replaceSlot(_ slot: KeySlot) {
    guard let index = slots.firstIndex(where: { $0.number == slot.number }) else { return }
    slots[index] = slot
  }

  mutating func removeSlots(where isDropped: (KeySlot) -> Bool) { slots.removeAll(where: isDropped) }

  /// Sets the key of a level, or removes it if nil.
  mutating func setKey(_ key: DataKey?, of protection: Protection) { epochs[protection] = key?.epoch ?? 0 }

  /// Encrypts a level's records with another key, without changing their generations. With the device key, also
  /// encrypts all labels.
  /// Throws `damaged` if a record does not decrypt.
  mutating func reseal(from old: DataKey, to new: DataKey) throws(VaultError) {
    if old.protection == .device {
      for index in records.indices {
        let record = records[index]
        records[index] = record.with(label: try new.seal(try old.openLabel(of: record), for: record.name))
      }
    }
    for index in records.indices where records[index].protection == old.protection {
      let record = records[index]
      let content = try old.open(record)
      records[index] = try new.seal(
        content, label: record.label, for: record.name, generation: record.generation)
    }
  }
}
