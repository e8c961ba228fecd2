import Crypto
import Platform
import Testing

@testable import Vault
import Vocabulary

@Suite struct `New keys` {
  let scratch: Scratch
  let vault: Vault
  let old: [UInt8]

  init() throws {
    scratch = try Scratch()
    vault = scratch.vault()
    try vault.write(alice, "in the background")
    try vault.createProtection(.passphrase, secret: secret("one"))
    try vault.write(bob, "hidden", .passphrase)
    try vault.addPassphrase(for: .device, secret("back"))
    old = try scratch.bytes(of: vaultName)
  }

  private func error(_ code: VaultError.Code) -> VaultError { VaultError(code, path: scratch.file(vaultName)) }

  private var secrets: [Int: SharedSecret] {
    [2: SharedSecret(secret("one")), 3: SharedSecret(secret("back"))]
  }

  @Test func `every slot and every record is made anew, and says the same`() throws {
    let generations = try [alice, bob].map { try vault.read($0)?.generation }
    #expect(try vault.slotsThatNeedSecrets().map(\.number) == [2, 3])
    #expect(try vault.rotateKeys(secrets: secrets) == [.device, .passphrase])
    #expect(try vault.text(of: alice) == "in the background")
    #expect(try vault.text(of: bob) == "hidden")
    #expect(try [alice, bob].map { try vault.read($0)?.generation } == generations)
    let (before, after) = try (
      UnverifiedVaultFile(parsing: old), UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName))
    )
    #expect(after.slots.map(\.number) == [1, 2, 3])
    for (one, other) in zip(before.slots, after.slots) { #expect(one.body != other.body) }
    for (one, other) in zip(before.records, after.records) { #expect(one.sealed != other.sealed) }
    let fresh = scratch.vault()
    #expect(try fresh.text(of: alice) == "in the background")
    try fresh.unlock(.passphrase, secret: secret("one"))
    #expect(try fresh.text(of: bob) == "hidden")
    fresh.forgetKeys()
    try scratch.remove("device.key")
    try fresh.unlock(.device, secret: secret("back"))
    #expect(try fresh.text(of: alice) == "in the background")
  }

  @Test func `the old keys open nothing that is written afterwards`() throws {
    let before = try UnverifiedVaultFile(parsing: old)
    let key = try before.unlock(with: vault.bindings, in: scratch.directory())
    try vault.rotateKeys(secrets: secrets)
    let after = try UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName))
    #expect(throws: VaultError(.damaged)) { try after.verified(with: key) }
    #expect(after.records.count == 2)
    for record in after.records {
      #expect(throws: VaultError(.damaged)) { _ = try key.open(record) }
    }
  }

  @Test func `what is locked keeps its key`() throws {
    vault.lock()
    #expect(try vault.slotsThatNeedSecrets().map(\.number) == [3])
    #expect(try vault.rotateKeys(secrets: secrets) == [.device])
    try vault.unlock(.passphrase, secret: secret("one"))
    #expect(try vault.text(of: bob) == "hidden")
  }

  @Test func `a passphrase that is missing or wrong changes nothing`() throws {
    #expect(throws: error(.secretNeeded(slot: 3))) { try vault.rotateKeys(secrets: [2: SharedSecret(secret("one"))]) }
    var wrong = secrets
    wrong[2] = SharedSecret(secret("onf"))
    #expect(throws: error(.wrongPassphrase)) { try vault.rotateKeys(secrets: wrong) }
    #expect(try scratch.bytes(of: vaultName) == old)
    #expect(try vault.text(of: bob) == "hidden")
  }

  @Test func `a damaged record is not lost by new keys`() throws {
    var bytes = old
    bytes[bytes.count - 1] ^= 1
    try scratch.put(bytes, as: vaultName)
    let vault = scratch.vault()
    try vault.unlock(.passphrase, secret: secret("one"))
    #expect(throws: error(.damaged)) { try vault.rotateKeys(secrets: secrets) }
    #expect(try scratch.bytes(of: vaultName) == bytes)
  }

  @Test func `a vault that another process rotated opens with the keys of now`() throws {
    let other = scratch.vault()
    try other.unlock(.passphrase, secret: secret("one"))
    try vault.rotateKeys(secrets: secrets)
    #expect(try other.text(of: alice) == "in the background")
    #expect(throws: error(.locked(.passphrase))) { try other.text(of: bob) }
    try other.unlock(.passphrase, secret: secret("one"))
    #expect(try other.text(of: bob) == "hidden")
  }
}
