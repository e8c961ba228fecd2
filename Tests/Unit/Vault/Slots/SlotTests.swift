import Crypto
import Platform
import Testing
import Vocabulary

@testable import Vault

@Suite struct `Key slots` {
  private static let unknownKind: UInt16 = 900

  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.vault().write(alice, "first")
  }

  /// Rewrites the vault with other slots.
  private func rewrite(_ change: ([KeySlot]) throws -> [KeySlot]) throws {
    let unverified = try UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName))
    let key = try unverified.unlock(with: scratch.vault().bindings, in: scratch.directory())
    var file = try unverified.verified(with: key)
    file.slots = try change(file.slots)
    file.lastSlotNumber = file.slots.map(\.number).max() ?? 0
    try scratch.put(file.encoded(with: key), as: vaultName)
  }

  private func unknownSlot(number: UInt8 = 9) throws -> KeySlot {
    var reader = ByteReader([number, 3, 132, 0, 0, 2, 5, 6])
    let slot = try KeySlot(from: &reader)
    #expect(slot.kindNumber == Self.unknownKind)
    return slot
  }

  @Test(arguments: [0, WrappedKey.length - 1, WrappedKey.length + 1])
  func `a host slot of another length is damage, not another device's`(length: Int) throws {
    let key = try DataKey.new(for: .device, header: VaultHeader.new(), epoch: 1)
    let context = SlotContext(number: 1, kind: .host, for: key)
    let host = HostBinding(machineIdentity: Scratch.machine, userID: Scratch.user)
    let body = [UInt8](repeating: 0, count: length)
    #expect(throws: VaultError(.damaged)) { _ = try host.unwrap(body, under: secret("x"), for: context) }
  }

  @Test func `a vault that is not there has no slot to remove`() throws {
    let none = try Scratch()
    do {
      try none.vault().removeSlot(1)
      Issue.record("an error was expected")
    } catch {
      #expect(error.code == .noSuchSlot)
    }
  }

  @Test func `a slot of an unknown kind is passed over and kept`() throws {
    let unknown = try unknownSlot()
    try rewrite { $0 + [unknown] }
    let vault = scratch.vault()
    #expect(try vault.text(of: alice) == "first")
    try vault.write(bob, "second")
    #expect(try UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName)).slots.last == unknown)
    #expect(vault.summary().slots.map(\.name) == ["host", "unknown-900"])
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
    #expect(try scratch.vault().bind(.host).number == 2)
    try rewrite { slots in
      // A host slot like the other one except for its number: it opens nothing.
      var bytes: [UInt8] = []
      try #require(slots.first).append(to: &bytes)
      var reader = ByteReader([1] + bytes.dropFirst())
      return [try KeySlot(from: &reader)] + slots
    }
    #expect(try scratch.vault().slots().map(\.number) == [1, 2])
    #expect(try scratch.vault().text(of: alice) == "first")
  }

  @Test func `the body of a slot has 4,096 bytes at most`() throws {
    var longest = ByteReader([1, 0, 1, 0, 16, 0] + [UInt8](repeating: 0, count: 4096))
    #expect(try KeySlot(from: &longest).body.count == 4096)
    var tooLong = ByteReader([1, 0, 1, 0, 16, 1] + [UInt8](repeating: 0, count: 4097))
    #expect(throws: VaultError(.damaged)) { try KeySlot(from: &tooLong) }
  }
}
