import Crypto
import Testing
@testable import Vault
import Vocabulary

@Suite struct `A look at every part of a vault` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    let vault = scratch.vault()
    try vault.write(alice, "in the background")
    try vault.createProtection(.passphrase, secret: secret("one"))
    try vault.write(bob, "hidden", .passphrase)
  }

  private let slots = [
    hostSlot, SlotSummary(number: 2, kind: .passphrase, name: "passphrase", protection: .passphrase),
  ]

  @Test func `finds all in order, and what is locked`() throws {
    let vault = scratch.vault()
    let before = try scratch.bytes(of: vaultName)
    let check = try #require(try vault.check())
    #expect(
      check
        == VaultCheck(
          slots: [.init(summary: slots[0], state: .opens), .init(summary: slots[1], state: .needsSecret)],
          records: [
            .init(account: alice, protection: .device, state: .opens),
            .init(account: bob, protection: .passphrase, state: .locked),
          ], problem: nil))
    #expect(check.isSound)
    try vault.unlock(.passphrase, secret: secret("one"))
    #expect(try vault.check()?.records.last?.state == .opens)
    #expect(try scratch.bytes(of: vaultName) == before)
  }

  @Test func `finds a damaged record`() throws {
    var bytes = try scratch.bytes(of: vaultName)
    bytes[bytes.count - "hidden".utf8.count - 16 - 1] ^= 1
    try scratch.put(bytes, as: vaultName)
    let check = try #require(try scratch.vault().check())
    #expect(check.records.map(\.state) == [.damaged, .locked])
    #expect(!check.isSound)
  }

  @Test func `names a slot of another machine`() throws {
    let check = try #require(try scratch.vault(user: 1).check())
    #expect(check.slots.map(\.state) == [.foreign, .needsSecret])
    #expect(check.problem == VaultError(.foreignDevice, path: scratch.file(vaultName)))
    #expect(check.records.map(\.state) == [.locked, .locked])
    #expect(!check.isSound)
    try scratch.remove("device.key")
    #expect(try scratch.vault().check()?.slots.map(\.state) == [.deviceSecretMissing, .needsSecret])
  }

  @Test func `says what is wrong with the file`() throws {
    try scratch.put([1, 2, 3], as: vaultName)
    #expect(throws: VaultError(.damaged, path: scratch.file(vaultName))) { try scratch.vault().check() }
    try scratch.remove(vaultName)
    #expect(try scratch.vault().check() == nil)
  }
}
