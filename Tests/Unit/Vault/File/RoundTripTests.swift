import Crypto
import Platform
import Testing
@testable import Vault
import Vocabulary

@Suite struct `Writing and reading` {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `what was written is read`() throws {
    let vault = scratch.vault()
    #expect(try vault.write(alice, "first") == 1)
    #expect(try vault.write(bob, "second") == 2)
    #expect(try vault.text(of: alice) == "first")
    #expect(try vault.text(of: bob) == "second")
    #expect(try vault.accounts() == [alice, bob])
    #expect(try vault.read(alice)?.generation == 1)
  }

  @Test func `a directory without a vault holds no accounts, and reading makes none`() throws {
    let vault = Vault(
      stateDirectory: scratch.file("absent"), machineIdentity: Scratch.machine, userID: Scratch.user)
    #expect(try vault.accounts() == [])
    #expect(try vault.text(of: alice) == nil)
    #expect(try vault.remove(alice) == false)
    #expect(try scratch.names() == [])
  }

  @Test func `the first write makes the directory, and its files are the user's alone`() throws {
    let path = scratch.file("a/b")
    let vault = Vault(stateDirectory: path, machineIdentity: Scratch.machine, userID: Scratch.user)
    try vault.write(alice, "x")
    // Opening and reading check the owner and mode.
    let directory = try PrivateDirectory(opening: path, create: false)
    #expect(try directory.fileNames().sorted() == ["device.key", vaultName, "vault.lock"])
    #expect(try directory.readFile("device.key", limit: 100).count == 32)
    _ = try directory.readFile(vaultName, limit: 1000)
  }

  @Test func `two vaults on one directory see each other's writes`() throws {
    let first = scratch.vault()
    let second = scratch.vault()
    try first.write(alice, "one")
    #expect(try second.text(of: alice) == "one")
    try second.write(alice, "two")
    try second.write(bob, "three")
    #expect(try first.text(of: alice) == "two")
    #expect(try first.accounts() == [alice, bob])
    #expect(try first.remove(bob))
    #expect(try second.text(of: bob) == nil)
  }

  @Test func `removing says whether there was something`() throws {
    let vault = scratch.vault()
    try vault.write(alice, "x")
    #expect(try vault.remove(bob) == false)
    #expect(try vault.remove(alice) == true)
    #expect(try vault.remove(alice) == false)
    #expect(try vault.accounts() == [])
  }

  @Test func `a generation only grows, over accounts, removal and a deleted file`() throws {
    let vault = scratch.vault()
    var generations = [try vault.write(alice, "1"), try vault.write(bob, "2"), try vault.write(alice, "3")]
    #expect(try vault.remove(alice))
    generations.append(try vault.write(alice, "4"))
    try scratch.remove(vaultName)
    generations.append(try vault.write(alice, "5"))
    #expect(zip(generations, generations.dropFirst()).allSatisfy { $0 < $1 })
    #expect(try vault.read(alice)?.generation == generations.last)
  }

  @Test(arguments: [0, 1, SecretBytes.maximumCount])
  func `content of any size a secret can have comes back`(count: Int) throws {
    let vault = scratch.vault()
    let content = try SecretBytes.random(count)
    try vault.write(alice, content: content)
    guard let record = try vault.read(alice) else {
      Issue.record("no record")
      return
    }
    let isSame = record.content.isEqual(to: content)
    #expect(isSame)
  }

  @Test func `neither the content nor a key is in the file`() throws {
    let vault = scratch.vault()
    try vault.write(alice, "a text to look for")
    let file = try scratch.bytes(of: vaultName)
    #expect(!file.contains(Array("a text to look for".utf8)))
    #expect(!file.contains(try scratch.bytes(of: "device.key")))
    #expect(!file.contains(Scratch.machine))
  }

  @Test func `the same content is sealed anew each time`() throws {
    let vault = scratch.vault()
    /// The four bytes before the tag, which also depends on the generation.
    func ciphertext() throws -> ArraySlice<UInt8> { try scratch.bytes(of: vaultName).suffix(20).prefix(4) }
    try vault.write(alice, "same")
    let first = try ciphertext()
    try vault.write(alice, "same")
    #expect(try ciphertext() != first)
  }

  @Test func `the keys are kept until they are forgotten`() throws {
    let vault = scratch.vault()
    try vault.write(alice, "x")
    try scratch.remove("device.key")
    #expect(try vault.text(of: alice) == "x")
    vault.forgetKeys()
    #expect(throws: VaultError(.deviceSecretMissing, path: scratch.file("device.key"))) { try vault.text(of: alice) }
  }

  @Test func `without a machine id the vault says that it is not device-bound`() throws {
    let vault = scratch.vault(machine: nil)
    try vault.write(alice, "x")
    #expect(try scratch.vault(machine: nil).text(of: alice) == "x")
    #expect(
      vault.summary()
        == VaultSummary(
          slots: [hostSlot], tpmProblem: .noTPM, isDeviceBound: false, path: scratch.file("vault.unbound"), exists: true
        ))
  }

  @Test func `the summary needs no key and never fails`() throws {
    let vault = scratch.vault()
    let path = scratch.file(vaultName)
    #expect(
      vault.summary() == VaultSummary(slots: [], tpmProblem: .noTPM, isDeviceBound: true, path: path, exists: false))
    try vault.write(alice, "x")
    try scratch.remove("device.key")
    #expect(
      scratch.vault().summary()
        == VaultSummary(slots: [hostSlot], tpmProblem: .noTPM, isDeviceBound: true, path: path, exists: true))
    try scratch.put([1, 2, 3], as: vaultName)
    #expect(
      vault.summary() == VaultSummary(slots: [], tpmProblem: .noTPM, isDeviceBound: true, path: path, exists: true))
  }
}

@Suite struct `A record that is erased in the file` {
  @Test func `is none, and leaves the others and the file as they are`() throws {
    let scratch = try Scratch()
    let vault = scratch.vault()
    for account in [alice, bob, carol] { try vault.write(account, "text of \(account.text)") }
    let size = try scratch.bytes(of: vaultName).count
    let generation = try #require(try vault.read(bob)?.generation)
    #expect(try !vault.erase(bob, generation: generation + 1))
    #expect(try vault.erase(bob, generation: generation))
    #expect(try !vault.erase(bob, generation: generation))
    #expect(try scratch.bytes(of: vaultName).count == size)
    for vault in [vault, scratch.vault()] {
      #expect(try vault.accounts() == [alice, carol])
      #expect(try vault.text(of: bob) == nil)
      #expect(try vault.text(of: alice) == "text of alice")
      #expect(try vault.text(of: carol) == "text of carol")
      #expect(try vault.check()?.isSound == true)
    }
    // Another record can be erased too, and the next write drops both.
    #expect(try vault.erase(carol, generation: try #require(try vault.read(carol)?.generation)))
    try scratch.vault().write(bob, "again")
    #expect(try vault.accounts() == [alice, bob])
    #expect(try vault.text(of: bob) == "again")
  }
}
