// The slots of a file, and the keys that they lead to.

extension VaultFile {
  /// The slot with a number.
  ///
  /// - Throws: `noSuchSlot`.
  func slot(_ number: Int) throws(VaultError.Code) -> KeySlot {
    guard let slot = slots.first(where: { $0.number == number }) else { throw .noSuchSlot }
    return slot
  }

  /// The slots that lead to the key of a protection.
  func slots(of protection: Protection) -> [KeySlot] { slots.filter { $0.protection == protection } }

  /// How many records a key seals.
  func recordCount(of protection: Protection) -> Int { records.count { $0.protection == protection } }

  func context(of slot: KeySlot, kind: SlotKind) -> SlotContext {
    SlotContext(of: slot, kind: kind, header: header, epochs: epochs)
  }

  /// The context of the next slot that leads to `key`: its number is one that no slot ever had.
  ///
  /// - Throws: `tooManySlots` when there are 16, or when all numbers were used.
  func nextContext(_ kind: SlotKind, for key: DataKey) throws(VaultError.Code) -> SlotContext {
    guard slots.count < VaultFormat.maximumSlots, lastSlotNumber < VaultFormat.maximumSlotNumber
    else { throw .tooManySlots }
    return SlotContext(number: lastSlotNumber + 1, kind: kind, leadingTo: key)
  }

  /// Adds a slot made for the next context.
  mutating func addSlot(_ slot: KeySlot) {
    lastSlotNumber = slot.number
    slots.append(slot)
  }

  /// Gives a slot another body, and keeps its number.
  mutating func replaceSlot(_ slot: KeySlot) {
    guard let place = slots.firstIndex(where: { $0.number == slot.number }) else { return }
    slots[place] = slot
  }

  /// Drops slots.
  mutating func removeSlots(where isDropped: (KeySlot) -> Bool) { slots.removeAll(where: isDropped) }

  /// Takes note of the key that a protection has from now on; nil when it has none any more.
  mutating func setKey(_ key: DataKey?, of protection: Protection) { epochs[protection] = key?.epoch ?? 0 }

  /// Seals the records of a protection under another key. They keep their generations.
  ///
  /// - Throws: `damaged` when one does not open.
  mutating func reseal(from old: DataKey, to new: DataKey) throws(VaultError.Code) {
    for place in records.indices where records[place].protection == old.protection {
      let record = records[place]
      let content = try old.open(record)
      records[place] = try new.seal(content, for: record.name, generation: record.generation)
    }
  }
}
