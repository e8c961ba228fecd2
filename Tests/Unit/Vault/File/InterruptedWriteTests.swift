import Platform
import TestSupport
import Testing
import Vault

/// Makes all later file writes of this process fail.
private func forbidFileWrites() throws {
  try run("/usr/bin/prlimit", "--pid", "\(Machine.processID)", "--fsize=0:0")
}

@Suite struct `A write that does not come to its end` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.vault().write(alice, "first")
  }

  @Test func `a failed write leaves the old content and no file behind`() async throws {
    let path = scratch.path
    let names = try scratch.names()
    await #expect(processExitsWith: .success) { [path = path as String] in
      let vault = Vault(stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user)
      try forbidFileWrites()
      Signals.block([fileSizeSignal])
      let error = #expect(throws: VaultError.self) { try vault.write(alice, "second") }
      #expect(error?.path == "\(path)/\(vaultName)")
      guard case .storage(let cause)? = error?.code else {
        Issue.record("not a storage error: \(String(describing: error))")
        return
      }
      #expect(cause.name == "EFBIG")
      #expect(try vault.text(of: alice) == "first")
    }
    #expect(try scratch.names() == names)
    #expect(try scratch.vault().text(of: alice) == "first")
  }

  @Test func `a write that would fail is found out before, and changes nothing`() async throws {
    let (path, names) = (scratch.path, try scratch.names())
    await #expect(processExitsWith: .success) { [path = path as String] in
      let vault = Vault(stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user)
      try vault.rehearseWrite()
      try forbidFileWrites()
      Signals.block([fileSizeSignal])
      let error = #expect(throws: VaultError.self) { try vault.rehearseWrite() }
      #expect(error?.path == "\(path)/\(vaultName)")
      guard case .storage(let cause)? = error?.code else {
        Issue.record("not a storage error: \(String(describing: error))")
        return
      }
      #expect(cause.name == "EFBIG")
    }
    #expect(try scratch.names() == names)
  }

  @Test func `a write that is reserved needs no other file`() throws {
    for name in ["device.key", vaultName] { try scratch.remove(name) }
    let vault = scratch.vault()
    let reserved = try vault.reserveWrite()
    // An empty vault.
    #expect(try scratch.vault().accounts() == [])
    let names = try scratch.names()
    #expect(names.count == 4 && names.contains("device.key"))
    // Another process changes the vault and clears away what others left.
    try scratch.vault().write(bob, "other")
    #expect(try scratch.names() == names)
    let inode = try scratch.directory().inode(of: try #require(names.first { $0.hasSuffix(".tmp") }))
    try vault.write(alice, content: secret("second"), in: reserved)
    #expect(try scratch.directory().inode(of: vaultName) == inode)
    #expect(try scratch.vault().text(of: alice) == "second" && scratch.vault().text(of: bob) == "other")
    try vault.write(alice, content: secret("third"), in: reserved)
    #expect(try scratch.vault().text(of: alice) == "third" && scratch.names().count == 3)
  }

  @Test func `a device secret that cannot be made is told as that, not as one that is missing`() async throws {
    try scratch.remove("device.key")
    try scratch.remove(vaultName)
    let path = scratch.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let vault = Vault(stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user)
      try forbidFileWrites()
      Signals.block([fileSizeSignal])
      let error = #expect(throws: VaultError.self) { try vault.write(alice, "second") }
      #expect(error?.path == "\(path)/device.key")
      guard case .storage(let cause)? = error?.code else {
        Issue.record("not a storage error: \(String(describing: error))")
        return
      }
      #expect(cause.name == "EFBIG")
    }
    #expect(try scratch.names() == ["vault.lock"])
  }

  @Test func `a writer killed in the middle leaves the old content, and the next one cleans up`() async throws {
    let path = scratch.path
    let names = try scratch.names()
    await #expect(processExitsWith: .signal(fileSizeSignal)) { [path = path as String] in
      let vault = Vault(stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user)
      try forbidFileWrites()
      // Signals are blocked in the threads that run tests.
      Signals.restoreDefaults()
      try vault.write(alice, "second")
    }
    #expect(try scratch.names().count == names.count + 1)
    let vault = scratch.vault()
    #expect(try vault.text(of: alice) == "first")
    #expect(try vault.accounts() == [alice])
    try vault.write(alice, "third")
    #expect(try scratch.names() == names)
    #expect(try vault.text(of: alice) == "third")
  }

  @Test func `what a killed maker of the device secret left is cleaned up too`() async throws {
    try scratch.remove("device.key")
    try scratch.remove(vaultName)
    let path = scratch.path
    await #expect(processExitsWith: .signal(fileSizeSignal)) { [path = path as String] in
      let vault = Vault(stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user)
      try forbidFileWrites()
      Signals.restoreDefaults()
      try vault.write(alice, "second")
    }
    #expect(try scratch.names().count == 2)
    try scratch.vault().write(alice, "third")
    #expect(try scratch.names() == ["device.key", vaultName, "vault.lock"].sorted())
  }
}
