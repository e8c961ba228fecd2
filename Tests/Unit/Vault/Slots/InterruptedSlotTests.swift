import Crypto
import Platform
import TestSupport
import Testing
import Vault
import Vocabulary

/// The changes of a vault's slots, by name, to pass to another process.
private enum Change: String, CaseIterable {
  case createProtection, addPassphrase, changePassphrase, removeSlot, bind, rotateKeys, rebind, write

  func run(_ vault: Vault) throws(VaultError) {
    switch self {
    case .createProtection: try vault.createProtection(.passphrase, secret: secret("new"))
    case .addPassphrase: try vault.addPassphrase(for: .device, secret("new"))
    case .changePassphrase: try vault.changePassphrase(for: .device, old: secret("back"), new: secret("new"))
    case .removeSlot: try vault.removeSlot(2)
    case .bind: try vault.bind(.host)
    case .rotateKeys: try vault.rotateKeys(secrets: [2: SharedSecret(secret("back"))])
    case .rebind: try vault.rebind(passphrase: secret("back"))
    case .write: try vault.write(alice, "first", .device)
    }
  }
}

@Suite struct `A change of slots that does not come to its end` {
  let scratch: Scratch
  let before: [UInt8]

  init() throws {
    scratch = try Scratch()
    let vault = scratch.vault()
    try vault.write(alice, "first")
    try vault.addPassphrase(for: .device, secret("back"))
    before = try scratch.bytes(of: vaultName)
  }

  /// The vault opens automatically and with its passphrase, and its content is unchanged.
  private func expectWhole(_ passphrase: String) throws {
    #expect(try scratch.vault().text(of: alice) == "first")
    let other = scratch.vault(user: 1)
    #expect(throws: VaultError(.foreignDevice, path: scratch.file(vaultName))) { try other.text(of: alice) }
    try other.unlock(.device, secret: secret(passphrase))
    #expect(try other.text(of: alice) == "first")
  }

  @Test func `a failed write leaves the old file and no other`() async throws {
    let path = scratch.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let vault = Vault(
        stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user, cost: Scratch.cost)
      try run("/usr/bin/prlimit", "--pid", "\(Machine.processID)", "--fsize=0:0")
      Signals.block([fileSizeSignal])
      for change in Change.allCases {
        let error = #expect(throws: VaultError.self, "\(change)") { try change.run(vault) }
        guard case .storage(let cause)? = error?.code else {
          Issue.record("\(change): not a storage error")
          continue
        }
        #expect(cause.name == "EFBIG")
        // Keys that are not in the file are not used either.
        #expect(try vault.text(of: alice) == "first")
      }
    }
    #expect(try scratch.bytes(of: vaultName) == before)
    #expect(try scratch.names() == ["device.key", vaultName, "vault.lock"].sorted())
    try expectWhole("back")
  }

  @Test(arguments: Change.allCases.map(\.rawValue))
  func `one that is killed in its write leaves the old file, and comes to its end the next time`(
    change: String
  ) async throws {
    let path = scratch.path
    await #expect(processExitsWith: .signal(fileSizeSignal)) { [path = path as String, change = change as String] in
      let vault = Vault(
        stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user, cost: Scratch.cost)
      try run("/usr/bin/prlimit", "--pid", "\(Machine.processID)", "--fsize=0:0")
      // Signals are blocked in the threads that run tests.
      Signals.restoreDefaults()
      try Change(rawValue: change)?.run(vault)
    }
    #expect(try scratch.bytes(of: vaultName) == before)
    try expectWhole("back")
    let change = try #require(Change(rawValue: change))
    try change.run(scratch.vault())
    #expect(try scratch.names() == ["device.key", vaultName, "vault.lock"].sorted())
    switch change {
    case .removeSlot: #expect(try scratch.vault().text(of: alice) == "first")
    case .changePassphrase: try expectWhole("new")
    default: try expectWhole("back")
    }
  }

  @Test func `a move to a new machine id that is cut before its end leaves two files that open`() throws {
    // The state between writing the new file and removing the old one.
    let moved = scratch.vault(machine: Scratch.otherMachine)
    try moved.rebind(passphrase: secret("back"))
    try scratch.put(before, as: vaultName)
    try expectWhole("back")
    #expect(try scratch.vault(machine: Scratch.otherMachine).text(of: alice) == "first")
  }

  @Test func `killed at any moment, the file is the old one or the new one`() async throws {
    let path = scratch.path
    for round in 0..<6 {
      let delay = "\(12 * round + 1)"
      await #expect(processExitsWith: .signal(Signals.SIGKILL)) { [path = path as String, delay = delay as String] in
        let delay = try #require(Int(delay))
        let vault = Vault(
          stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user, cost: Scratch.cost)
        let back = SharedSecret(secret("back"))
        try Threads.start(name: "killer") {
          Threads.sleep(for: .milliseconds(delay))
          try? Spawn.kill(Machine.processID, Signals.SIGKILL)
        }
        while true {
          try vault.bind(.host)
          try vault.write(bob, "x")
          try vault.rotateKeys(secrets: [2: back])
        }
      }
      try expectWhole("back")
    }
  }
}
