import Crypto
import Testing

@testable import Vault
import Vocabulary

@Suite struct `The vault file` {
  private let key: DataKey
  private let empty: VaultFile

  init() throws {
    let header = try VaultHeader.new()
    key = try DataKey.new(for: .device, header: header, epoch: 1)
    var epochs = KeyEpochs()
    epochs[.device] = 1
    let slot = KeySlot(SlotContext(number: 1, kind: .host, for: key), body: [])
    empty = VaultFile(
      header: header, generation: 0, epochs: epochs, lastSlotNumber: 1, slots: [slot], records: [])
  }

  private func file(generation: UInt64, _ records: [SealedRecord]) -> VaultFile {
    VaultFile(
      header: empty.header, generation: generation, epochs: empty.epochs, lastSlotNumber: 1, slots: empty.slots,
      records: records)
  }

  private func record(_ name: String, length: Int, generation: UInt64 = 1) throws -> SealedRecord {
    SealedRecord(
      name: try AccountName(name), protection: .device, generation: generation,
      nonce: [UInt8](repeating: 0, count: VaultFormat.nonceLength),
      sealed: [UInt8](repeating: 0, count: length)[...])
  }

  @Test func `a vault holds 10,000 accounts and no more`() throws {
    let records = try (10_000..<20_000).map { try record("a\($0)", length: 16) }
    var file = file(generation: 1, records)
    #expect(throws: VaultError(.tooManyAccounts)) { try file.put(record("b", length: 16)) }
    // Replacing a record adds no account.
    var same = try UnverifiedVaultFile(parsing: file.encoded(with: key)).verified(with: key)
    #expect(same.records.count == 10_000)
    try same.put(record("a10000", length: 17))
  }

  @Test func `a vault never grows over 64 MiB`() throws {
    var file = empty
    let body = try record("x", length: VaultFormat.maximumContentLength + VaultFormat.sealOverhead).sealed
    #expect(throws: VaultError(.tooManyAccounts)) {
      for number in 0..<1000 {
        try file.put(
          SealedRecord(
            name: AccountName("a\(number)"), protection: .device, generation: 1, nonce: [], sealed: body))
      }
    }
    #expect((254...256).contains(file.records.count))
  }

  @Test func `a record longer than a secret can be is refused`() throws {
    var file = empty
    let length = VaultFormat.maximumContentLength + VaultFormat.sealOverhead + 1
    #expect(throws: VaultError(.tooManyAccounts)) { try file.put(record("x", length: length)) }
  }

  @Test func `names that do not ascend are damage`() throws {
    for names in [["b", "a"], ["a", "a"]] {
      let records = try names.map { try record($0, length: 16) }
      let file = file(generation: 1, records)
      let bytes = try file.encoded(with: key)
      #expect(throws: VaultError(.damaged)) { try UnverifiedVaultFile(parsing: bytes) }
    }
  }

  @Test func `a table without a key of the device is damage`() throws {
    var bytes = [UInt8](repeating: 0, count: 8 * Protection.allCases.count)
    for (number, isDamaged) in [(UInt8(0), true), (1, false)] {
      bytes[7] = number
      var reader = ByteReader(bytes)
      let epochs = try? KeyEpochs(from: &reader)
      #expect((epochs == nil) == isDamaged)
    }
  }

  @Test func `a record newer than the vault is damage`() throws {
    let file = file(generation: 1, [try record("a", length: 16, generation: 2)])
    let bytes = try file.encoded(with: key)
    #expect(throws: VaultError(.damaged)) { try UnverifiedVaultFile(parsing: bytes) }
  }

  /// The empty file with another table of slots and keys, with a matching tag and check.
  private func parse(_ change: (inout VaultFile) throws -> Void) throws -> UnverifiedVaultFile {
    var file = empty
    try file.advance(above: 1)
    try change(&file)
    return try UnverifiedVaultFile(parsing: file.encoded(with: key))
  }

  private func slot(_ bytes: [UInt8]) throws -> KeySlot {
    var reader = ByteReader(bytes)
    return try KeySlot(from: &reader)
  }

  @Test func `slots and keys that do not belong together are damage`() throws {
    _ = try parse { _ in }
    let changes: [(String, (inout VaultFile) throws -> Void)] = [
      ("no slot", { $0.slots = [] }),
      ("two of one number", { $0.slots.append($0.slots[0]) }),
      ("a number above the last", { $0.lastSlotNumber = 0 }),
      (
        "numbers that descend",
        { file in
          file.lastSlotNumber = 2
          file.slots = [try slot([2, 0, 1, 0, 0, 0]), file.slots[0]]
        }
      ),
      (
        "no slot of the device",
        { file in
          file.epochs[.passphrase] = 1
          file.slots = [try slot([1, 0, 3, 1, 0, 0])]
        }
      ),
      (
        "a slot of a key that there is not",
        { file in
          file.lastSlotNumber = 2
          file.slots.append(try slot([2, 0, 3, 1, 0, 0]))
        }
      ),
      (
        "a record of a key that there is not",
        { file in
          file.records = [
            SealedRecord(
              name: alice, protection: .tpm2, generation: 1, nonce: [UInt8](repeating: 0, count: 12),
              sealed: [UInt8](repeating: 0, count: 16)[...])
          ]
        }
      ),
      ("a key of the future", { $0.epochs[.tpm2] = 3 }),
      ("no key of the device", { $0.epochs[.device] = 0 }),
    ]
    for (name, change) in changes {
      #expect(throws: VaultError(.damaged), "\(name)") { _ = try parse(change) }
    }
    for bytes in [[0, 0, 1, 0, 0, 0], [1, 0, 1, 3, 0, 0], [1, 0, 1, 255, 0, 0]] as [[UInt8]] {
      #expect(throws: VaultError(.damaged)) { _ = try slot(bytes) }
    }
  }

  @Test func `the last generation is followed by an error, not by the first`() throws {
    var file = file(generation: .max, [])
    #expect(throws: VaultError(.damaged)) { try file.advance(above: 0) }
    var other = empty
    #expect(throws: VaultError(.damaged)) { try other.advance(above: .max) }
    #expect(throws: VaultError(.damaged)) { _ = try OpenVault.new(above: .max) }
  }

  @Test func `the first write of a new vault is above the newest that was seen`() throws {
    for floor in [0, 41] as [UInt64] {
      let vault = try OpenVault.new(above: floor)
      #expect(vault.file.generation == floor + 1 && vault.deviceKey.epoch == floor + 1)
    }
  }

  @Test func `encoding what was parsed gives the same bytes`() throws {
    var file = empty
    try file.advance(above: 41)
    try file.put(record("b", length: 20))
    try file.put(record("a", length: 16))
    let bytes = try file.encoded(with: key)
    let parsed = try UnverifiedVaultFile(parsing: bytes).verified(with: key)
    #expect(parsed.generation == 42)
    #expect(parsed.records.map(\.name.text) == ["a", "b"])
    #expect(try parsed.encoded(with: key) == bytes)
  }

  @Test func `random bytes after a right header never trap`() throws {
    for length in 0..<400 {
      let bytes = empty.header.bytes + (try Random.bytes(length))
      #expect(throws: VaultError(.damaged)) { try UnverifiedVaultFile(parsing: bytes) }
    }
  }
}
