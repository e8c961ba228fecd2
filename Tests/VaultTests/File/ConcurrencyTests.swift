import Platform
import TestSupport
import Testing
import Vault
import Vocabulary

@Suite struct `Several users of one vault` {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Runs `body` with 0..<count at the same time, and waits for all.
  private func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws -> [String] {
    let outcomes = WorkQueue<String>()
    for number in 0..<count {
      try Threads.start(name: "vault-test") {
        do {
          try body(number)
          outcomes.push("done")
        } catch {
          outcomes.push("\(number): \(error)")
        }
      }
    }
    return (0..<count).map { _ in outcomes.pop(wait: .testLimit) ?? "no answer" }
  }

  @Test func `eight writers lose nothing`() throws {
    let shared = scratch.vault()
    let scratch = scratch
    let outcomes = try inThreads(8) { number in
      // Some threads share a vault, others stand for other processes.
      let vault = number < 4 ? shared : scratch.vault()
      let own = try AccountName("account-\(number)")
      let common = try AccountName("common")
      for round in 0..<5 {
        let generation = try vault.write(own, "\(number) \(round)")
        guard try vault.read(own)?.generation == generation else { throw LostWrite() }
        try vault.write(common, "\(number)")
      }
    }
    #expect(outcomes == Array(repeating: "done", count: 8))
    #expect(try shared.accounts().count == 9)
    for number in 0..<8 {
      #expect(try shared.text(of: AccountName("account-\(number)")) == "\(number) 4")
    }
    // Each write had a generation of its own.
    #expect(try shared.write(alice, "last") == 81)
  }

  @Test func `a vault that knows the file sees what another one wrote since, at once`() throws {
    let (vault, other) = (scratch.vault(), scratch.vault())
    for round in 100..<150 {
      try vault.write(alice, "\(round)")
      // Files of the same length, one of which may get the inode of one before.
      for part in 0..<3 { try other.write(bob, "\(round) \(part)") }
      #expect(try vault.text(of: bob) == "\(round) 2")
      for part in 3..<6 { try other.write(bob, "\(round) \(part)") }
      try vault.write(carol, "\(round)")
      #expect(try other.text(of: bob) == "\(round) 5")
    }
  }

  @Test func `the file that a vault wrote itself is not read again, and its records are known without a look`() throws {
    let vault = scratch.vault()
    let generation = try vault.write(alice, "first")
    let stamp = try #require(FileStamp(at: scratch.file(vaultName)))
    #expect(vault.generation(of: alice, inFileWith: stamp) == generation)
    #expect(vault.generation(of: bob, inFileWith: stamp) == nil)
    // Other bytes in the same file, as if nothing had been written.
    let name = scratch.file(vaultName)
    let size = try scratch.bytes(of: vaultName).count
    try run("/usr/bin/touch", "-r", name, "\(name).time")
    try run("/bin/sh", "-c", "head -c \(size) /dev/zero >'\(name)'")
    try run("/usr/bin/touch", "-r", "\(name).time", name)
    #expect(try vault.text(of: alice) == "first")
    // The one that a lock makes forget its keys reads it.
    vault.forgetKeys()
    #expect(vault.generation(of: alice, inFileWith: stamp) == nil)
    #expect(throws: VaultError(.damaged, path: name)) { try vault.text(of: alice) }
  }

  @Test func `a record whose key is gone is not known, nor one of a file that another wrote`() throws {
    let vault = scratch.vault()
    try vault.createProtection(.passphrase, secret: secret("one"))
    let generation = try vault.write(alice, "first", .passphrase)
    var stamp = try #require(FileStamp(at: scratch.file(vaultName)))
    #expect(vault.generation(of: alice, inFileWith: stamp) == generation)
    vault.lock()
    #expect(try vault.protection(of: alice) == .passphrase)
    #expect(vault.generation(of: alice, inFileWith: stamp) == nil)
    try vault.unlock(.passphrase, secret: secret("one"))
    #expect(try vault.text(of: alice) == "first")
    #expect(vault.generation(of: alice, inFileWith: stamp) == generation)
    try scratch.vault().write(bob, "second")
    stamp = try #require(FileStamp(at: scratch.file(vaultName)))
    #expect(vault.generation(of: alice, inFileWith: stamp) == nil)
  }

  @Test func `the first writes of several vaults make one vault and one device secret`() throws {
    let scratch = scratch
    let outcomes = try inThreads(4) { number in
      try scratch.vault().write(try AccountName("account-\(number)"), "x")
    }
    #expect(outcomes == Array(repeating: "done", count: 4))
    #expect(try scratch.vault().accounts().count == 4)
    #expect(try scratch.names() == ["device.key", vaultName, "vault.lock"].sorted())
  }

  @Test func `a write that finds the lock taken is busy, a read does not mind`() throws {
    try scratch.vault().write(alice, "first")
    let lock = try scratch.directory().lock("vault.lock", wait: .zero)
    let vault = scratch.vault(lockWait: .zero)
    let error = VaultError(.busy, path: scratch.file("vault.lock"))
    #expect(throws: error) { try vault.write(alice, "second") }
    #expect(throws: error) { try vault.remove(alice) }
    #expect(try vault.text(of: alice) == "first")
    extendLifetime(lock)
  }

  @Test func `the lock is free again after a write, also after one that failed`() throws {
    let vault = scratch.vault(lockWait: .zero)
    try vault.write(alice, "first")
    try scratch.put([1], as: vaultName)
    #expect(throws: VaultError(.damaged, path: scratch.file(vaultName))) { try vault.write(alice, "second") }
    _ = try scratch.directory().lock("vault.lock", wait: .zero)
  }

  @Test func `a look at every part never takes a write that comes between for an old copy`() throws {
    let vault = scratch.vault()
    try vault.write(alice, "first")
    let outcomes = try inThreads(2) { number in
      for round in 0..<50 {
        if number == 0 {
          try vault.write(alice, "\(round)")
        } else {
          for _ in 0..<10 { if let problem = try vault.check()?.problem { throw problem } }
        }
      }
    }
    #expect(outcomes == ["done", "done"])
  }

  @Test func `an account's lock has one holder, and is no other account's`() throws {
    let first = scratch.vault()
    let second = scratch.vault()
    do {
      let held = try first.lockAccount(alice, wait: .zero)
      let error = VaultError(.busy, path: scratch.file("locks/account-alice.lock"))
      #expect(throws: error) { _ = try second.lockAccount(alice, wait: .zero) }
      _ = try second.lockAccount(bob, wait: .zero)
      try second.write(alice, "an account's lock does not keep writers away")
      extendLifetime(held)
    }
    _ = try second.lockAccount(alice, wait: .zero)
  }
}

private struct LostWrite: Error {}
