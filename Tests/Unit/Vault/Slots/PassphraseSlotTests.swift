import Crypto
import Platform
import Testing

@testable import Vault
import Vocabulary

@Suite struct `Slots that a passphrase opens` {
  let scratch: Scratch
  let vault: Vault

  init() throws {
    scratch = try Scratch()
    vault = scratch.vault()
    try vault.write(alice, "in the background")
    try vault.createProtection(.passphrase, secret: secret("one"))
    try vault.write(bob, "hidden", .passphrase)
  }

  private func error(_ code: VaultError.Code) -> VaultError { VaultError(code, path: scratch.file(vaultName)) }

  private func passphraseSlot(_ number: Int, _ protection: Protection) -> SlotSummary {
    SlotSummary(number: number, kind: .passphrase, name: "passphrase", protection: protection)
  }

  @Test func `slots are numbered for ever`() throws {
    #expect(try vault.addPassphrase(for: .passphrase, secret("two")) == passphraseSlot(3, .passphrase))
    #expect(try vault.addPassphrase(for: .device, secret("back")) == passphraseSlot(4, .device))
    try vault.removeSlot(4)
    #expect(try vault.addPassphrase(for: .device, secret("back")) == passphraseSlot(5, .device))
    #expect(
      try vault.slots() == [
        hostSlot, passphraseSlot(2, .passphrase), passphraseSlot(3, .passphrase), passphraseSlot(5, .device),
      ])
    #expect(throws: error(.noSuchSlot)) { try vault.removeSlot(4) }
  }

  @Test(arguments: ["one", "two"]) func `each passphrase of a protection opens it`(passphrase: String) throws {
    try vault.addPassphrase(for: .passphrase, secret("two"))
    vault.lock()
    try vault.unlock(.passphrase, secret: secret(passphrase))
    #expect(try vault.text(of: bob) == "hidden")
  }

  @Test func `a passphrase is added to what is open only`() throws {
    vault.lock()
    #expect(throws: error(.locked(.passphrase))) { try vault.addPassphrase(for: .passphrase, secret("two")) }
    #expect(throws: error(.nothingToUnlock)) { try vault.addPassphrase(for: .tpm2, secret("two")) }
    #expect(throws: error(.unusableSecret)) { try vault.addPassphrase(for: .device, secret("")) }
    let long = String(repeating: "x", count: 1025)
    #expect(throws: error(.unusableSecret)) { try vault.addPassphrase(for: .device, secret(long)) }
    #expect(try vault.slots().count == 2)
  }

  @Test func `a changed passphrase opens, and the old one does not`() throws {
    try vault.changePassphrase(for: .passphrase, old: secret("one"), new: secret("two"))
    vault.lock()
    #expect(throws: error(.wrongPassphrase)) { try vault.unlock(.passphrase, secret: secret("one")) }
    try vault.unlock(.passphrase, secret: secret("two"))
    #expect(try vault.text(of: bob) == "hidden")
    #expect(try vault.slots() == [hostSlot, passphraseSlot(2, .passphrase)])
    #expect(throws: error(.wrongPassphrase)) {
      try vault.changePassphrase(for: .passphrase, old: secret("one"), new: secret("three"))
    }
    #expect(throws: error(.nothingToUnlock)) {
      try vault.changePassphrase(for: .tpm2, old: secret("one"), new: secret("three"))
    }
  }

  @Test func `the passphrase of the slot that the old one opens is changed, and of no other`() throws {
    try vault.addPassphrase(for: .passphrase, secret("two"))
    try vault.changePassphrase(for: .passphrase, old: secret("two"), new: secret("three"))
    vault.lock()
    #expect(throws: error(.wrongPassphrase)) { try vault.unlock(.passphrase, secret: secret("two")) }
    for passphrase in ["one", "three"] {
      vault.lock()
      try vault.unlock(.passphrase, secret: secret(passphrase))
    }
  }

  @Test func `the last slot of what is in use stays`() throws {
    #expect(throws: error(.lastSlot(.device))) { try vault.removeSlot(1) }
    #expect(throws: error(.lastSlot(.passphrase))) { try vault.removeSlot(2) }
    try vault.write(bob, "open", .device)
    try vault.removeSlot(2)
    #expect(try !vault.hasSlots(for: .passphrase))
    #expect(!vault.isUnlocked(.passphrase))
    #expect(throws: error(.locked(.passphrase))) { try vault.write(alice, "x", .passphrase) }
    // The level can be created again, with another key.
    try vault.createProtection(.passphrase, secret: secret("three"))
    try vault.write(bob, "hidden again", .passphrase)
    #expect(try vault.text(of: bob) == "hidden again")
    #expect(try vault.slots() == [hostSlot, passphraseSlot(3, .passphrase)])
  }

  @Test func `a vault can be one that opens by a passphrase only`() throws {
    try vault.addPassphrase(for: .device, secret("back"))
    #expect(vault.levelsToLock == [.passphrase, .tpm2])
    try vault.removeSlot(1)
    #expect(vault.levelsToLock == [.device, .passphrase, .tpm2])
    #expect(try vault.text(of: alice) == "in the background")
    vault.forgetKeys()
    #expect(throws: error(.locked(.device))) { try vault.text(of: alice) }
    #expect(throws: error(.locked(.device))) { try vault.write(alice, "x") }
    #expect(throws: error(.locked(.device))) { try vault.unlock(.passphrase, secret: secret("one")) }
    #expect(throws: error(.wrongPassphrase)) { try vault.unlock(.device, secret: secret("one")) }
    try vault.unlock(.device, secret: secret("back"))
    try vault.unlock(.passphrase, secret: secret("one"))
    #expect(try vault.text(of: alice) == "in the background")
    #expect(try vault.text(of: bob) == "hidden")
    vault.lock()
    #expect(throws: error(.locked(.device))) { try vault.text(of: alice) }
    try vault.unlock(.device, secret: secret("back"))
    #expect(try vault.bind(.host).number == 4)
    vault.lock()
    #expect(try vault.text(of: alice) == "in the background")
  }

  @Test(arguments: [true, false]) func `the last slot that still opens the vault stays, whatever else there is`(
    isReplaced: Bool
  ) throws {
    try self.vault.addPassphrase(for: .device, secret("back"))
    if isReplaced {
      try scratch.put([UInt8](repeating: 7, count: 32), as: "device.key")
    } else {
      try scratch.remove("device.key")
    }
    let vault = scratch.vault()
    try vault.unlock(.device, secret: secret("back"))
    #expect(throws: error(.lastSlot(.device))) { try vault.removeSlot(3) }
    // The slot that no longer opens may be removed, and another automatic one takes its place.
    try vault.removeSlot(1)
    #expect(throws: error(.lastSlot(.device))) { try vault.removeSlot(3) }
    #expect(try vault.bind(.host).number == 4)
    try vault.removeSlot(3)
    #expect(try scratch.vault().text(of: alice) == "in the background")
  }

  @Test func `there are 16 slots at most, and 255 numbers`() throws {
    let unverified = try UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName))
    let key = try unverified.unlock(with: vault.bindings, in: scratch.directory())
    var file = try unverified.verified(with: key)
    file.lastSlotNumber = 254
    try scratch.put(file.encoded(with: key), as: vaultName)
    #expect(try vault.addPassphrase(for: .device, secret("back")).number == 255)
    #expect(throws: error(.tooManySlots)) { try vault.addPassphrase(for: .device, secret("back")) }
    file.lastSlotNumber = 16
    let template = try #require(file.slots.last)
    let first = file.slots[0]
    func slots(_ count: Int) throws -> [KeySlot] {
      try (0..<count).map { index in
        var bytes: [UInt8] = []
        template.append(to: &bytes)
        bytes[0] = UInt8(index + 1)
        bytes[3] = 0
        var reader = ByteReader(bytes)
        return index == 0 ? first : try KeySlot(from: &reader)
      }
    }
    file.slots = try slots(16)
    try scratch.put(file.encoded(with: key), as: vaultName)
    #expect(throws: error(.tooManySlots)) { try scratch.vault().addPassphrase(for: .device, secret("back")) }
    #expect(try scratch.vault().slots().count == 16)
    // One more, or none, is damage.
    file.lastSlotNumber = 17
    for count in [17, 0] {
      file.slots = try slots(count)
      let bytes = try file.encoded(with: key)
      #expect(throws: VaultError(.damaged)) { try UnverifiedVaultFile(parsing: bytes) }
    }
  }

  @Test(arguments: [
    (0, 14), (0, 21), (0, 255), (1, 7), (1, 17), (1, 0), (2, 0), (2, 5), (2, 255),
  ])
  func `parameters that we would not have written are damage`(place: Int, value: UInt8) throws {
    let key = try DataKey.new(for: .passphrase, header: VaultHeader.new(), epoch: 1)
    let context = SlotContext(number: 1, kind: .passphrase, for: key)
    var body = try PassphraseBinding.wrap(key, under: secret("x"), cost: Scratch.cost, for: context)
    #expect(try PassphraseBinding.cost(of: body) == Scratch.cost)
    body[place] = value
    #expect(throws: VaultError(.damaged)) { try PassphraseBinding.cost(of: body) }
    #expect(throws: VaultError(.damaged)) {
      _ = try PassphraseBinding.unwrap(body, under: secret("x"), for: context)
    }
  }

  @Test func `a body of another length is damage, not a wrong passphrase`() throws {
    let key = try DataKey.new(for: .passphrase, header: VaultHeader.new(), epoch: 1)
    let context = SlotContext(number: 1, kind: .passphrase, for: key)
    let body = try PassphraseBinding.wrap(key, under: secret("x"), cost: Scratch.cost, for: context)
    for other in [Array(body.dropLast()), body + [0], []] {
      #expect(throws: VaultError(.damaged)) {
        _ = try PassphraseBinding.unwrap(other, under: secret("x"), for: context)
      }
    }
  }

  @Test func `more than 1 GiB is refused also where each parameter would do`() {
    func code(_ logarithm: UInt8, _ blockSize: UInt8) -> VaultError.Code? {
      let body = [logarithm, blockSize, 1] + [UInt8](repeating: 0, count: 16 + WrappedKey.length)
      do { _ = try PassphraseBinding.cost(of: body) } catch { return error.code }
      return nil
    }
    #expect(code(20, 8) == nil)
    #expect(code(20, 9) == .damaged)
    #expect(code(19, 16) == nil)
  }
}
