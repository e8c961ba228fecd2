import Platform
import Testing
import Vault

@Suite struct `The files of a vault` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.vault().write(alice, "first")
  }

  private func expectBadPermissions(of name: String) {
    let error = VaultError(.badPermissions, path: scratch.file(name))
    #expect(throws: error) { try scratch.vault().text(of: alice) }
    #expect(throws: error) { try scratch.vault().write(alice, "new") }
  }

  @Test(arguments: [vaultName, "device.key"])
  func `a symbolic link is refused`(name: String) throws {
    try run("/bin/mv", scratch.file(name), scratch.file("elsewhere"))
    try run("/bin/ln", "-s", "elsewhere", scratch.file(name))
    expectBadPermissions(of: name)
  }

  @Test func `a device secret that is a link to nothing is not made through it`() throws {
    try scratch.remove(vaultName)
    try scratch.remove("device.key")
    try run("/bin/ln", "-s", "elsewhere", scratch.file("device.key"))
    #expect(throws: VaultError(.badPermissions, path: scratch.file("device.key"))) {
      try scratch.vault().write(alice, "new")
    }
    #expect(try !scratch.names().contains("elsewhere"))
  }

  @Test(arguments: [vaultName, "device.key"], [0o640, 0o604, 0o620, 0o602] as [UInt32])
  func `a file that others may use is refused`(name: String, mode: UInt32) throws {
    try scratch.put(scratch.bytes(of: name), as: name, mode: mode)
    expectBadPermissions(of: name)
  }

  @Test(arguments: [vaultName, "device.key"])
  func `something that is not a file is refused`(name: String) throws {
    try scratch.remove(name)
    try run("/bin/mkdir", "-m", "700", scratch.file(name))
    expectBadPermissions(of: name)
    try run("/bin/rmdir", scratch.file(name))
    try run("/usr/bin/mkfifo", "-m", "600", scratch.file(name))
    expectBadPermissions(of: name)
  }

  @Test(arguments: ["750", "705"])
  func `a directory that others may enter is refused`(mode: String) throws {
    try run("/bin/chmod", mode, scratch.path)
    let error = VaultError(.badPermissions, path: scratch.path)
    #expect(throws: error) { try scratch.vault().text(of: alice) }
    #expect(throws: error) { try scratch.vault().write(alice, "new") }
    #expect(throws: error) { _ = try scratch.vault().lockAccount(alice, LockWait(.zero)) }
    try run("/bin/chmod", "700", scratch.path)
    #expect(try scratch.vault().text(of: alice) == "first")
  }

  @Test func `a vault larger than any we write is damaged`() throws {
    try run("/usr/bin/truncate", "-s", "67108865", scratch.file(vaultName))
    #expect(throws: VaultError(.damaged, path: scratch.file(vaultName))) { try scratch.vault().text(of: alice) }
  }
}
