import Crypto
import Platform
import Testing

@testable import Vault
import Vocabulary

@Suite struct `A vault that does not open by itself any more` {
  let scratch: Scratch
  let vault: Vault

  init() throws {
    scratch = try Scratch()
    vault = scratch.vault()
    try vault.write(alice, "in the background")
    try vault.addPassphrase(for: .device, secret("back"))
    try vault.createProtection(.passphrase, secret: secret("one"))
    try vault.write(bob, "hidden", .passphrase)
  }

  private func expectContent(of vault: Vault) throws {
    #expect(try vault.text(of: alice) == "in the background")
    try vault.unlock(.passphrase, secret: secret("one"))
    #expect(try vault.text(of: bob) == "hidden")
  }

  @Test func `is bound to the machine's new id, and its old file goes`() throws {
    let moved = scratch.vault(machine: Scratch.otherMachine)
    #expect(throws: VaultError(.otherMachinesOnly, path: scratch.path)) { try moved.text(of: alice) }
    #expect(try moved.rebind(passphrase: secret("back")).map(\.number) == [2, 3, 4])
    #expect(try scratch.names() == ["device.key", otherVaultName, "vault.lock"].sorted())
    try expectContent(of: moved)
    try expectContent(of: scratch.vault(machine: Scratch.otherMachine))
  }

  @Test func `is bound to a new device secret`() throws {
    try scratch.remove("device.key")
    let vault = scratch.vault()
    #expect(throws: VaultError(.deviceSecretMissing, path: scratch.file("device.key"))) { try vault.text(of: alice) }
    #expect(
      try vault.rebind(passphrase: secret("back")).map(\.name) == ["passphrase", "passphrase", "host"])
    try expectContent(of: scratch.vault())
  }

  @Test func `stays as it is with a wrong passphrase, or where there is no way back`() throws {
    let moved = scratch.vault(machine: Scratch.otherMachine)
    let before = try scratch.bytes(of: vaultName)
    #expect(throws: VaultError(.wrongPassphrase, path: scratch.file(vaultName))) {
      try moved.rebind(passphrase: secret("one"))
    }
    #expect(try scratch.bytes(of: vaultName) == before)
    try vault.removeSlot(2)
    #expect(throws: VaultError(.nothingToUnlock, path: scratch.file(vaultName))) {
      try moved.rebind(passphrase: secret("back"))
    }
    let empty = try Scratch()
    #expect(throws: VaultError(.nothingToUnlock, path: empty.file(vaultName))) {
      try empty.vault().rebind(passphrase: secret("back"))
    }
  }

  @Test func `is not guessed among several`() throws {
    try scratch.vault(machine: nil).write(carol, "other")
    #expect(throws: VaultError(.severalVaults, path: scratch.path)) {
      try scratch.vault(machine: Scratch.otherMachine).rebind(passphrase: secret("back"))
    }
  }

  @Test func `keeps a slot that cannot be tried now`() throws {
    let before = try scratch.bytes(of: vaultName)
    let deviceSecret = try scratch.bytes(of: "device.key")
    try scratch.put(deviceSecret, as: "device.key", mode: 0o644)
    #expect(throws: VaultError(.badPermissions, path: scratch.file("device.key"))) {
      try scratch.vault().rebind(passphrase: secret("back"))
    }
    #expect(try scratch.bytes(of: vaultName) == before)
    // The slot is unknown, so it does not count as one that no longer opens.
    let directory = try scratch.directory()
    let unverified = try UnverifiedVaultFile(parsing: before)
    try scratch.put(deviceSecret, as: "device.key")
    let file = try unverified.verified(with: unverified.unlock(with: vault.bindings, in: directory))
    try scratch.put(deviceSecret, as: "device.key", mode: 0o644)
    #expect(throws: VaultError(.badPermissions, path: scratch.file("device.key"))) {
      try vault.opens(file.slots[0], of: file, in: directory)
    }
    try scratch.put(deviceSecret, as: "device.key")
    try expectContent(of: scratch.vault())
  }

  @Test func `keeps a slot that opens`() throws {
    #expect(try vault.rebind(passphrase: secret("back")).map(\.number) == [1, 2, 3])
    try expectContent(of: scratch.vault())
  }
}
