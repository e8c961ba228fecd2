import Crypto
import Platform
import TestSupport
import Testing

@testable import Vault
import Vocabulary

/// Whether this many bytes are used, now or after a thread that is about to end.
private func settles(at bytes: Int) -> Bool {
  let deadline = Instant.now.advanced(by: .testLimit)
  while SecureHeap.usedBytes != bytes {
    if Instant.now > deadline { return false }
    Threads.sleep(for: .milliseconds(10))
  }
  return true
}

/// How many bytes are used once the number is stable.
private func settled() -> Int {
  var (used, agreeing) = (SecureHeap.usedBytes, 0)
  let deadline = Instant.now.advanced(by: .testLimit)
  while agreeing < 20, Instant.now < deadline {
    Threads.sleep(for: .milliseconds(10))
    agreeing = SecureHeap.usedBytes == used ? agreeing + 1 : 0
    used = SecureHeap.usedBytes
  }
  return used
}

/// Counts the bytes on the secure heap, so each test has a separate process.
@Suite struct `The keys in memory` {
  @Test(.needsSoftwareTPM) func `go with the lock, all that a passphrase or PIN opened`() async throws {
    let scratch = try Scratch()
    let tpm = try SoftwareTPM()
    let (path, connection) = (scratch.path, tpm.connection)
    await #expect(processExitsWith: .success) { [path = path as String, connection = connection as String] in
      _ = SecureHeap.initialise()
      let vault = Vault(
        stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user, tpm: .at(connection),
        cost: Scratch.cost)
      try vault.write(alice, "in the background")
      try vault.createProtection(.passphrase, secret: secret("one"))
      try vault.createProtection(.tpm2, secret: secret("1234"))
      try vault.write(bob, "hidden", .tpm2)
      vault.lock()
      // The library keeps memory for its random numbers, also for the TPM's thread until it has ended. A key consists
      // of its secret and two derived keys.
      let bare = settled()
      let one = 3 * 32
      for _ in 0..<3 {
        try vault.unlock(.passphrase, secret: secret("one"))
        try vault.unlock(.tpm2, secret: secret("1234"))
        _ = try vault.text(of: bob)
        #expect(settles(at: bare + 2 * one))
        vault.lock()
        #expect(throws: VaultError.self) { try vault.unlock(.passphrase, secret: secret("two")) }
        #expect(settles(at: bare))
      }
      #expect(throws: VaultError.self) { try vault.unlock(.tpm2, secret: secret("4321")) }
      #expect(settles(at: bare))
      try vault.rotateKeys(secrets: [:])
      _ = try vault.check()
      #expect(settles(at: bare))
      vault.forgetKeys()
      #expect(settles(at: bare - one))
    }
  }

  @Test func `of a vault opened by passphrase go with the lock, the device's too`() async throws {
    let scratch = try Scratch()
    let path = scratch.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      _ = SecureHeap.initialise()
      let vault = Vault(
        stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user, cost: Scratch.cost)
      try vault.write(alice, "x")
      try vault.addPassphrase(for: .device, secret("back"))
      try vault.removeSlot(1)
      vault.forgetKeys()
      let bare = SecureHeap.usedBytes
      try vault.unlock(.device, secret: secret("back"))
      #expect(SecureHeap.usedBytes == bare + 3 * 32)
      _ = try vault.text(of: alice)
      try vault.write(alice, "y")
      vault.lock()
      #expect(SecureHeap.usedBytes == bare)
      #expect(!vault.isUnlocked(.device))
    }
  }

  @Test func `stay when a call ends that began before they came`() throws {
    let closed = try OpenVault.new(above: 0)
    var open = closed
    open.setKey(try DataKey.new(for: .passphrase, header: closed.file.header, epoch: 1))
    var other = closed
    other.file.setKey(try open.key(of: .passphrase), of: .passphrase)
    var memory = VaultMemory()
    let begin = memory.wipeCount
    memory.remember(open, since: begin)
    memory.remember(other, since: begin)
    #expect(memory.hasKey(of: .passphrase))
    // An older file teaches nothing; a newer one shows that the key is outdated.
    var newer = open
    try newer.file.advance(above: 1)
    newer.setKey(try DataKey.new(for: .passphrase, header: closed.file.header, epoch: 2))
    memory.remember(newer, since: begin)
    memory.remember(open, since: begin)
    #expect(memory.key(of: .passphrase, header: closed.file.header, epoch: 2) != nil)
    try other.file.advance(above: 9)
    memory.remember(other, since: begin)
    #expect(!memory.hasKey(of: .passphrase))
  }

  @Test func `are kept by an unlocking that ends after a newer write`() throws {
    var before = try OpenVault.new(above: 0)
    before.setKey(try DataKey.new(for: .passphrase, header: before.file.header, epoch: 1))
    var after = OpenVault(file: before.file, deviceKey: before.deviceKey)
    try after.file.advance(above: 1)
    var memory = VaultMemory()
    memory.remember(after, since: memory.wipeCount)
    #expect(!memory.hasKey(of: .passphrase))
    memory.remember(before, since: memory.wipeCount)
    #expect(memory.hasKey(of: .passphrase))
    #expect(memory.newest?.generation == 2)
  }

  @Test func `do not come back by a call that began before the lock`() throws {
    var vault = try OpenVault.new(above: 0)
    vault.file.addSlot(KeySlot(SlotContext(number: 1, kind: .host, for: vault.deviceKey), body: []))
    vault.setKey(try DataKey.new(for: .passphrase, header: vault.file.header, epoch: 1))
    var memory = VaultMemory()
    let begin = memory.wipeCount
    let isKept = memory.remember(vault, since: begin)
    #expect(isKept && memory.hasKey(of: .passphrase) && memory.hasKey(of: .device))
    memory.lock()
    let isKeptAgain = memory.remember(vault, since: begin)
    #expect(!isKeptAgain)
    #expect(!memory.hasKey(of: .passphrase))
    #expect(memory.hasKey(of: .device))
    #expect(memory.newest?.generation == vault.file.generation)
  }
}
