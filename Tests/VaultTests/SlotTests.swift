import Crypto
import Platform
import Testing

@testable import Vault

@Suite struct `Key slots` {
  private static let unknownKind: UInt16 = 900

  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.vault().write(alice, "first")
  }

  /// Writes the vault again, with other slots.
  private func rewrite(_ change: ([KeySlot]) -> [KeySlot]) throws {
    let unverified = try UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName))
    let key = try unverified.unlock(
      with: HostBinding(machineIdentity: Scratch.machine, userID: Scratch.user), in: scratch.directory(), path: "")
    let file = try unverified.verified(with: key)
    let changed = VaultFile(
      header: file.header, generation: file.generation, slots: change(file.slots), records: file.records)
    try scratch.put(changed.encoded(with: key), as: vaultName)
  }

  private func unknownSlot() throws -> KeySlot {
    var reader = ByteReader([3, 132, 0, 2, 5, 6])
    let slot = try KeySlot(from: &reader)
    #expect(slot.kindNumber == Self.unknownKind)
    return slot
  }

  @Test func `a slot of an unknown kind is passed over and kept`() throws {
    let unknown = try unknownSlot()
    try rewrite { [unknown] + $0 }
    let vault = scratch.vault()
    #expect(try vault.text(of: alice) == "first")
    try vault.write(bob, "second")
    #expect(try UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName)).slots.first == unknown)
    #expect(vault.summary().slots == ["unknown-900", "host"])
  }

  @Test func `a vault with unknown slots only is not opened and not changed`() throws {
    let unknown = try unknownSlot()
    try rewrite { _ in [unknown] }
    let before = try scratch.bytes(of: vaultName)
    let error = VaultError(.unknownSlot, path: scratch.file(vaultName))
    #expect(throws: error) { try scratch.vault().accounts() }
    #expect(throws: error) { try scratch.vault().write(alice, "new") }
    #expect(try scratch.bytes(of: vaultName) == before)
  }

  @Test func `where the host slot does not open, an unknown one is the reason given`() throws {
    let unknown = try unknownSlot()
    try rewrite { $0 + [unknown] }
    #expect(throws: VaultError(.unknownSlot, path: scratch.file(vaultName))) {
      try scratch.vault(user: Scratch.user + 1).accounts()
    }
  }

  @Test func `a second slot opens what the first does not`() throws {
    let foreign = KeySlot(.host, body: [UInt8](repeating: 1, count: 60))
    try rewrite { [foreign] + $0 }
    #expect(try scratch.vault().text(of: alice) == "first")
  }

  @Test func `the limits of the slots hold`() throws {
    let whole = try scratch.bytes(of: vaultName)
    for count in [0, 9] as [UInt8] {
      var bytes = whole
      bytes[VaultFormat.headerLength + 8] = count
      #expect(throws: VaultError.Code.damaged) { try UnverifiedVaultFile(parsing: bytes) }
    }
    var tooLong = ByteReader([0, 1, 16, 1] + [UInt8](repeating: 0, count: 4097))
    #expect(throws: VaultError.Code.damaged) { try KeySlot(from: &tooLong) }
  }
}
