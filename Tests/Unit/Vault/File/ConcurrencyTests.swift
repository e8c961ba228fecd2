import Platform
import TestSupport
import Testing
import Vault
import Vocabulary

@Suite struct `Several users of one vault` {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `eight writers lose nothing`() throws {
    let shared = scratch.vault()
    let scratch = scratch
    let outcomes = try inThreads(8) { number in
      // Some threads share a vault, others represent other processes.
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
    // Each write had a separate generation.
    #expect(try shared.write(alice, "last") == 81)
  }

  @Test func `a vault that knows the file sees what another one wrote since, at once`() throws {
    let (vault, other) = (scratch.vault(), scratch.vault())
    for round in 100..<150 {
      try vault.write(alice, "\(round)")
      // Files of the same length, one of which may reuse an inode.
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
    // After a lock, the vault has no keys and reads the file.
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
      let held = try first.lockAccount(alice, LockWait(.zero))
      let error = VaultError(.busy, path: scratch.file("locks/account-alice.lock"))
      #expect(throws: error) { _ = try second.lockAccount(alice, LockWait(.zero)) }
      _ = try second.lockAccount(bob, LockWait(.zero))
      try second.write(alice, "an account's lock does not keep writers away")
      extendLifetime(held)
    }
    _ = try second.lockAccount(alice, LockWait(.zero))
  }
}

private struct LostWrite: Error {}

@Suite struct `Changes that wait for the lock` {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.vault().write(alice, "first")
  }

  /// Starts a thread and returns its outcome.
  private func start<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) throws -> Monitor<Result<Value, any Error>?> {
    let outcome = Monitor<Result<Value, any Error>?>(nil)
    try Threads.start(name: "vault-test") {
      let result = Result { try body() }
      outcome.update { $0 = result }
    }
    return outcome
  }

  private func outcome<Value: Sendable>(_ monitor: Monitor<Result<Value, any Error>?>) throws -> Value {
    try #require(monitor.wait(.testLimit) { $0 }).get()
  }

  @Test func `of several accounts are made together, and each caller gets its own result`() throws {
    let vault = scratch.vault()
    let old = try #require(try vault.read(alice)?.generation)
    let lock = try scratch.directory().lock("vault.lock", wait: .zero)
    let writes = try (0..<20).map { number in
      try start { try vault.write(try AccountName("account-\(number)"), "\(number)") }
    }
    let refused = try start { try vault.write(bob, content: secret("x"), protection: .passphrase) }
    let stale = try start { try vault.write(alice, content: secret("x"), replacing: old + 100) }
    let replaced = try start { try vault.write(alice, content: secret("second"), replacing: old) }
    let absent = try start { try vault.remove(carol) }
    Threads.sleep(for: .milliseconds(300))
    lock.release()
    let generations = try writes.map { try outcome($0) }
    #expect(Set(generations).count == 20)
    #expect(throws: VaultError(.locked(.passphrase), path: scratch.file(vaultName))) { try outcome(refused) }
    #expect(try outcome(stale) == nil)
    #expect(try outcome(replaced) != nil)
    #expect(try !outcome(absent))
    for number in 0..<20 {
      let generation = try scratch.vault().read(AccountName("account-\(number)"))?.generation
      #expect(generation == generations[number])
    }
    #expect(try scratch.vault().text(of: alice) == "second")
    #expect(try scratch.vault().text(of: bob) == nil)
  }

  @Test func `fail together if the file cannot be written, and nothing is half written`() async throws {
    let (path, names) = (scratch.path, try scratch.names())
    await #expect(processExitsWith: .success) { [path = path as String] in
      let vault = Vault(stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user)
      let lock = try PrivateDirectory(opening: path, create: false).lock("vault.lock", wait: .zero)
      let errors = WorkQueue<String>()
      Signals.block([25])
      for number in 0..<6 {
        try Threads.start(name: "vault-test") {
          do { errors.push("\(try vault.write(try AccountName("account-\(number)"), "x"))") } catch {
            guard case .storage(let cause)? = (error as? VaultError)?.code else { return errors.push("\(error)") }
            errors.push(cause.name)
          }
        }
      }
      Threads.sleep(for: .milliseconds(200))
      try run("/usr/bin/prlimit", "--pid", "\(Machine.processID)", "--fsize=0:0")
      lock.release()
      for _ in 0..<6 { #expect(errors.pop(wait: .testLimit) == "EFBIG") }
    }
    #expect(try scratch.names() == names)
    #expect(try scratch.vault().accounts() == [alice])
  }

  // This process's lock does not exclude itself like another process.
  @Test func `wait for a change of this process however long it takes`() throws {
    let vault = scratch.vault(lockWait: .milliseconds(100))
    // Deriving a key from a passphrase holds the lock for long, like an fsync. The last caller waits longer for the
    // others than for another process.
    let slow = try (0..<8).map { _ in
      try start { _ = try vault.addPassphrase(for: .device, secret("a passphrase")) }
    }
    let writes = try (0..<8).map { number in
      try start { try vault.write(try AccountName("account-\(number)"), "\(number)") }
    }
    for write in writes { _ = try outcome(write) }
    for change in slow { try outcome(change) }
    #expect(try vault.accounts().count == 9)
    #expect(try vault.slots().count == 9)
  }

  @Test func `end when they are given up, or when their time is over because of another process`() throws {
    let vault = scratch.vault(lockWait: .seconds(600))
    let lock = try scratch.directory().lock("vault.lock", wait: .zero)
    let leading = try start { try vault.write(bob, "bob") }
    Threads.sleep(for: .milliseconds(100))
    let isGivenUp = Monitor(false)
    let rehearsal = try start {
      try vault.rehearseWrite(wait: LockWait(.seconds(600)) { isGivenUp.withLock { $0 } })
    }
    let late = try start { try vault.write(carol, content: secret("x"), wait: LockWait(.milliseconds(50))) }
    let error = VaultError(.busy, path: scratch.file("vault.lock"))
    #expect(throws: error) { try outcome(late) }
    isGivenUp.update { $0 = true }
    #expect(throws: error) { try outcome(rehearsal) }
    lock.release()
    _ = try outcome(leading)
    #expect(try vault.accounts() == [alice, bob])
  }

  @Test func `of one account wait for the call of this process that holds it, which is not another process`() throws {
    let vault = scratch.vault()
    let path = scratch.file("locks/account-alice.lock")
    let held = try vault.lockAccount(alice, LockWait(.zero))
    #expect(throws: VaultError(.busyInProcess, path: path)) { _ = try vault.lockAccount(alice, LockWait(.zero)) }
    #expect(throws: VaultError(.busy, path: path)) { _ = try scratch.vault().lockAccount(alice, LockWait(.zero)) }
    let next = try start { try vault.lockAccount(alice, LockWait(.seconds(600))).release() }
    Threads.sleep(for: .milliseconds(50))
    held.release()
    try outcome(next)
    try vault.lockAccount(alice, LockWait(.zero)).release()
  }
}
