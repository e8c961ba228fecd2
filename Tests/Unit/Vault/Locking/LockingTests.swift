import Crypto
import Platform
import Testing
import Vault
import Vocabulary

@Suite struct `A protection by passphrase` {
  let scratch: Scratch
  let vault: Vault

  init() throws {
    scratch = try Scratch()
    vault = scratch.vault()
    try vault.write(alice, "in the background")
    try vault.createProtection(.passphrase, secret: secret("open sesame"))
    try vault.write(bob, "hidden", .passphrase)
  }

  private func error(_ code: VaultError.Code) -> VaultError { VaultError(code, path: scratch.file(vaultName)) }

  @Test func `what it hides opens only while unlocked`() throws {
    #expect(vault.isUnlocked(.passphrase))
    #expect(try vault.text(of: bob) == "hidden")
    vault.lock()
    #expect(!vault.isUnlocked(.passphrase))
    #expect(throws: error(.locked(.passphrase))) { try vault.text(of: bob) }
    #expect(throws: error(.locked(.passphrase))) { try vault.write(bob, "new") }
    #expect(throws: error(.locked(.passphrase))) { try vault.write(alice, "new", .passphrase) }
    #expect(try vault.text(of: alice) == "in the background")
    try vault.unlock(.passphrase, secret: secret("open sesame"))
    #expect(try vault.text(of: bob) == "hidden")
  }

  @Test func `a write keeps the protection`() throws {
    try vault.write(bob, "again")
    #expect(try vault.protection(of: bob) == .passphrase)
    #expect(try vault.protection(of: alice) == .device)
    #expect(try vault.protection(of: carol) == nil)
    vault.lock()
    #expect(try vault.protection(of: bob) == .passphrase)
  }

  @Test func `an account moves from one protection to the other in one write`() throws {
    try vault.write(bob, "now open", .device)
    try vault.write(alice, "now hidden", .passphrase)
    vault.lock()
    #expect(try vault.text(of: bob) == "now open")
    #expect(throws: error(.locked(.passphrase))) { try vault.text(of: alice) }
  }

  @Test func `an account that is locked can be removed`() throws {
    vault.lock()
    #expect(try vault.remove(bob))
    #expect(try vault.accounts() == [alice])
  }

  @Test(arguments: ["", "Open sesame", "open sesam", "open sesame ", String(repeating: "x", count: 2000)])
  func `another passphrase is refused`(passphrase: String) throws {
    vault.lock()
    #expect(throws: error(.wrongPassphrase)) { try vault.unlock(.passphrase, secret: secret(passphrase)) }
    #expect(!vault.isUnlocked(.passphrase))
  }

  @Test func `what was asked for before a lock leaves nothing open, however late it is done`() throws {
    let asked = vault.wipeCount
    vault.lock()
    #expect(throws: error(.locked(.passphrase))) {
      try vault.unlock(.passphrase, secret: secret("open sesame"), since: asked)
    }
    #expect(!vault.isUnlocked(.passphrase))
    try vault.unlock(.passphrase, secret: secret("open sesame"), since: vault.wipeCount)
    #expect(vault.isUnlocked(.passphrase))
    let empty = try Scratch().vault()
    empty.lock()
    try empty.createProtection(.passphrase, secret: secret("x"), since: 0)
    #expect(try empty.hasSlots(for: .passphrase) && !empty.isUnlocked(.passphrase))
  }

  @Test func `without a passphrase there is nothing to unlock`() throws {
    #expect(throws: error(.nothingToUnlock)) { try vault.unlock(.tpm2, secret: secret("1234")) }
    #expect(throws: error(.nothingToUnlock)) { try vault.unlock(.device, secret: secret("open sesame")) }
    let empty = try Scratch()
    #expect(throws: VaultError(.nothingToUnlock, path: empty.file(vaultName))) {
      try empty.vault().unlock(.passphrase, secret: secret("x"))
    }
  }

  @Test func `the first passphrase is chosen once`() throws {
    #expect(throws: error(.alreadyProtected(.passphrase))) {
      try vault.createProtection(.passphrase, secret: secret("other"))
    }
    #expect(throws: error(.alreadyProtected(.device))) {
      try vault.createProtection(.device, secret: secret("other"))
    }
    #expect(try vault.hasSlots(for: .passphrase))
    #expect(try !vault.hasSlots(for: .tpm2))
  }

  @Test func `it can be chosen before there is a vault`() throws {
    let scratch = try Scratch()
    let vault = scratch.vault()
    #expect(try !vault.hasSlots(for: .passphrase))
    #expect(throws: VaultError(.unusableSecret, path: scratch.file(vaultName))) {
      try vault.createProtection(.passphrase, secret: secret(""))
    }
    #expect(try scratch.names() == [])
    try vault.createProtection(.passphrase, secret: secret("x"))
    try vault.write(alice, "hidden", .passphrase)
    #expect(throws: VaultError(.locked(.passphrase), path: scratch.file(vaultName))) {
      try scratch.vault().text(of: alice)
    }
  }

  @Test func `forgetting all keys locks too, and the device's comes back by itself`() throws {
    vault.forgetKeys()
    #expect(!vault.isUnlocked(.passphrase))
    #expect(!vault.isUnlocked(.device))
    #expect(try vault.text(of: alice) == "in the background")
    #expect(vault.isUnlocked(.device))
  }

  @Test func `another vault on the directory is not unlocked with this one`() throws {
    #expect(throws: error(.locked(.passphrase))) { try scratch.vault().text(of: bob) }
  }
}
