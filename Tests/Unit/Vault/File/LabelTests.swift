import Crypto
import Testing

@testable import Vault
import Vocabulary

@Suite struct `The label of a record` {
  let scratch: Scratch
  let vault: Vault
  let label = PersonLabel("ann@example.com")

  init() throws {
    scratch = try Scratch()
    vault = scratch.vault()
    try vault.createProtection(.passphrase, secret: secret("one"))
    try vault.write(alice, content: secret("hidden"), label: label, protection: .passphrase)
    try vault.write(bob, content: secret("open"), label: PersonLabel("Bob of accounting"))
  }

  @Test func `is read while the record is locked, and is not in the file in clear`() throws {
    vault.lock()
    #expect(throws: VaultError(.locked(.passphrase), path: scratch.file(vaultName))) { try vault.text(of: alice) }
    #expect(try vault.snapshot()?.label(of: alice) == label)
    #expect(try scratch.vault().snapshot()?.label(of: bob)?.text == "Bob of accounting")
    let text = String(decoding: try scratch.bytes(of: vaultName), as: UTF8.self)
    #expect(!text.contains("ann@") && !text.contains("Bob of"))
  }

  @Test func `goes with a write without one, and with the record`() throws {
    try vault.write(bob, "open")
    #expect(try vault.snapshot()?.label(of: bob) == nil)
    try vault.remove(alice)
    #expect(try vault.snapshot()?.label(of: alice) == nil)
  }

  @Test func `is sealed anew with a new key of the device, also of a record that is locked`() throws {
    vault.lock()
    let before = try UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName)).records.map(\.label)
    #expect(try vault.rotateKeys(secrets: [:]) == [.device])
    let after = try UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName)).records.map(\.label)
    #expect(zip(before, after).allSatisfy { $0 != $1 })
    let fresh = scratch.vault()
    #expect(try fresh.snapshot()?.label(of: alice) == label)
    try fresh.unlock(.passphrase, secret: secret("one"))
    #expect(try fresh.text(of: alice) == "hidden")
  }

  @Test func `of one account is not that of another, and none is of any length`() throws {
    let key = try UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName)).unlock(
      with: vault.bindings, in: scratch.directory())
    var file = try UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName)).verified(with: key)
    let labels = file.records.map(\.label)
    for (place, label) in labels.reversed().enumerated() {
      file.records[place] = file.records[place].with(label: label)
    }
    try scratch.put(file.encoded(with: key), as: vaultName)
    let swapped = scratch.vault()
    #expect(throws: VaultError(.damaged, path: scratch.file(vaultName))) { try swapped.snapshot()?.label(of: alice) }
    #expect(try swapped.check()?.records.map(\.state) == [.damaged, .damaged])
    for length in [1, VaultFormat.nonceLength + VaultFormat.sealOverhead, VaultFormat.maximumSealedLabelLength + 1] {
      file.records[0] = file.records[0].with(label: [UInt8](repeating: 0, count: length)[...])
      let bytes = try file.encoded(with: key)
      #expect(throws: VaultError(.damaged), "\(length) bytes") { try UnverifiedVaultFile(parsing: bytes) }
    }
  }
}
