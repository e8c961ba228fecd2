internal import Vocabulary

// The slots of a file, and the keys in them.

extension VaultFile {
  /// The slot with a number.
  ///
  /// - Throws: `noSuchSlot`.
  func slot(_ number: Int) throws(VaultError) -> KeySlot {
    guard let slot = slots.first(where: { $0.number == number }) else { throw VaultError(.noSuchSlot) }
    return slot
  }

  /// The slots with the key of a protection.
  func slots(of protection: Protection) -> [KeySlot] { slots.filter { $0.protection == protection } }

  /// The number of records that a key seals.
  func recordCount(of protection: Protection) -> Int { records.count { $0.protection == protection } }

  func context(of slot: KeySlot, kind: SlotKind) -> SlotContext {
    SlotContext(of: slot, kind: kind, header: header, epochs: epochs)
  }

  /// The context of a new slot for `key`, with a number that no slot ever had.
  ///
  /// - Throws: `tooManySlots` if there are 16, or if all numbers were used.
  func nextContext(_ kind: SlotKind, for key: DataKey) throws(VaultError) -> SlotContext {
    guard slots.count < VaultFormat.maximumSlots, lastSlotNumber < VaultFormat.maximumSlotNumber
    else { throw VaultError(.tooManySlots) }
    return SlotContext(number: lastSlotNumber + 1, kind: kind, leadingTo: key)
  }

  /// Adds a slot made for the next context.
  mutating func addSlot(_ slot: KeySlot) {
    lastSlotNumber = slot.number
    slots.append(slot)
  }

  /// Replaces the slot with the same number.
  mutating func replaceSlot(_ slot: KeySlot) {
    guard let place = slots.firstIndex(where: { $0.number == slot.number }) else { return }
    slots[place] = slot
  }

  /// Drops slots.
  mutating func removeSlots(where isDropped: (KeySlot) -> Bool) { slots.removeAll(where: isDropped) }

  /// Sets the key of a protection; nil if it has none any more.
  mutating func setKey(_ key: DataKey?, of protection: Protection) { epochs[protection] = key?.epoch ?? 0 }

  /// Seals the records of a protection with another key. They keep their generations. The labels of all records are
  /// sealed with the key of the device.
  ///
  /// - Throws: `damaged` if one does not open.
  mutating func reseal(from old: DataKey, to new: DataKey) throws(VaultError) {
    if old.protection == .device {
      for place in records.indices {
        let record = records[place]
        records[place] = record.with(label: try new.seal(try old.openLabel(of: record), for: record.name))
      }
    }
    for place in records.indices where records[place].protection == old.protection {
      let record = records[place]
      let content = try old.open(record)
      records[place] = try new.seal(
        content, label: record.label, for: record.name, generation: record.generation)
    }
  }
}
