import Platform
import Testing
import Vault

@Suite struct `A vault on another machine` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.vault().write(alice, "secret")
  }

  /// Both reading and writing fail with `error` and do not modify the file.
  private func expectRefusal(by vault: Vault, _ error: VaultError, file name: String) throws {
    let before = try scratch.bytes(of: name)
    #expect(throws: error) { try vault.accounts() }
    #expect(throws: error) { try vault.text(of: alice) }
    #expect(throws: error) { try vault.write(alice, "new") }
    #expect(throws: error) { try vault.remove(alice) }
    #expect(try scratch.bytes(of: name) == before)
  }

  @Test func `only files of other machines are told apart from no vault`() throws {
    let vault = scratch.vault(machine: Scratch.otherMachine)
    let error = VaultError(.otherMachinesOnly, path: scratch.path)
    #expect(throws: error) { try vault.accounts() }
    #expect(throws: error) { try vault.text(of: alice) }
    #expect(throws: error) { try vault.check() }
    #expect(try vault.remove(alice) == false)
    #expect(throws: error) { try scratch.vault(machine: nil).accounts() }
  }

  @Test func `a write that is reserved and not made leaves no vault of this one`() throws {
    let vault = scratch.vault(machine: Scratch.otherMachine)
    var reserved = try vault.reserveWrite() as ReservedFile?
    #expect(throws: VaultError(.otherMachinesOnly, path: scratch.path)) { try vault.accounts() }
    #expect(reserved != nil)
    reserved = nil
    #expect(try scratch.names() == ["device.key", vaultName, "vault.lock"])
    try vault.write(bob, content: secret("other"), in: vault.reserveWrite())
    #expect(try vault.accounts() == [bob] && scratch.names().count == 4)
  }

  @Test func `other files of the directory are no vaults, whatever their names end in`() throws {
    let content = try scratch.bytes(of: vaultName)
    try scratch.remove(vaultName)
    for name in [
      "backup.445d95a203591012", "vault-445d95a203591012", "vault.445d95a20359101", "vault.445D95A203591012",
    ] {
      try scratch.put(content, as: name)
    }
    #expect(try scratch.vault().accounts() == [])
    try scratch.put(content, as: otherVaultName)
    #expect(throws: VaultError(.otherMachinesOnly, path: scratch.path)) { try scratch.vault().accounts() }
  }

  @Test func `machines that share a directory have a vault each`() throws {
    let vault = scratch.vault(machine: Scratch.otherMachine)
    try vault.write(bob, "other")
    #expect(try vault.accounts() == [bob])
    #expect(try scratch.vault().accounts() == [alice])
    #expect(try scratch.names() == ["device.key", otherVaultName, vaultName, "vault.lock"].sorted())
  }

  @Test func `a file renamed to this machine's name does not open`() throws {
    try scratch.put(scratch.bytes(of: vaultName), as: otherVaultName)
    try expectRefusal(
      by: scratch.vault(machine: Scratch.otherMachine),
      VaultError(.foreignDevice, path: scratch.file(otherVaultName)), file: otherVaultName)
  }

  @Test func `a file of a machine without an id does not open on one that has an id`() throws {
    try scratch.put(scratch.bytes(of: vaultName), as: "vault.unbound")
    try expectRefusal(
      by: scratch.vault(machine: nil), VaultError(.foreignDevice, path: scratch.file("vault.unbound")),
      file: "vault.unbound")
  }

  @Test func `another user's file does not open`() throws {
    try expectRefusal(
      by: scratch.vault(user: Scratch.user + 1), VaultError(.foreignDevice, path: scratch.file(vaultName)),
      file: vaultName)
  }

  @Test func `a file does not open with another device secret`() throws {
    try scratch.put([UInt8](repeating: 7, count: 32), as: "device.key")
    try expectRefusal(
      by: scratch.vault(), VaultError(.foreignDevice, path: scratch.file(vaultName)), file: vaultName)
  }

  @Test func `a missing device secret is named, and none is made in its place`() throws {
    try scratch.remove("device.key")
    try expectRefusal(
      by: scratch.vault(), VaultError(.deviceSecretMissing, path: scratch.file("device.key")), file: vaultName)
    #expect(try scratch.names() == [vaultName, "vault.lock"])
  }

  @Test(arguments: [0, 31, 33])
  func `a device secret of a wrong length is damaged`(length: Int) throws {
    try scratch.put([UInt8](repeating: 7, count: length), as: "device.key")
    try expectRefusal(by: scratch.vault(), VaultError(.damaged, path: scratch.file("device.key")), file: vaultName)
  }
}
