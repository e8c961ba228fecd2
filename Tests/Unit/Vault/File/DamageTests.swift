import Crypto
import Testing

@testable import Vault
import Vocabulary

@Suite struct `A damaged vault file` {
  let scratch: Scratch
  let whole: [UInt8]
  /// The offset of the two records' ciphertexts.
  let bodies: Int

  init() throws {
    scratch = try Scratch()
    let vault = scratch.vault()
    try vault.write(alice, "first")
    try vault.write(bob, "second!")
    try vault.addPassphrase(for: .device, secret("back"))
    whole = try scratch.bytes(of: vaultName)
    bodies = whole.count - ("first".utf8.count + "second!".utf8.count + 2 * VaultFormat.sealOverhead)
  }

  private func error(_ code: VaultError.Code) -> VaultError { VaultError(code, path: scratch.file(vaultName)) }

  /// No operation accepts `bytes` or modifies them.
  private func expectRefusal(of bytes: [UInt8], _ code: VaultError.Code, _ comment: Comment) throws {
    try scratch.put(bytes, as: vaultName)
    let vault = scratch.vault()
    #expect(throws: error(code), comment) { try vault.accounts() }
    #expect(throws: error(code), comment) { try vault.text(of: alice) }
    #expect(throws: error(code), comment) { try vault.write(alice, "new") }
    #expect(throws: error(code), comment) { try vault.remove(alice) }
    #expect(try scratch.bytes(of: vaultName) == bytes, comment)
  }

  @Test func `a flipped bit before the records is found, whatever it was`() throws {
    for index in 0..<bodies {
      var bytes = whole
      bytes[index] ^= 1 << (index % 8)
      try expectRefusal(of: bytes, (8..<14).contains(index) ? .unsupportedVersion : .damaged, "byte \(index)")
    }
  }

  @Test func `a flipped bit in a record makes that record unreadable and no other`() throws {
    let second = bodies + "first".utf8.count + VaultFormat.sealOverhead
    for index in bodies..<whole.count {
      var bytes = whole
      bytes[index] ^= 1 << (index % 8)
      try scratch.put(bytes, as: vaultName)
      let vault = scratch.vault()
      let (broken, sound, text) = index < second ? (alice, bob, "second!") : (bob, alice, "first")
      #expect(throws: error(.damaged), "byte \(index)") { try vault.text(of: broken) }
      #expect(try vault.text(of: sound) == text, "byte \(index)")
      #expect(try scratch.bytes(of: vaultName) == bytes)
    }
  }

  @Test func `a damaged record can be replaced or removed`() throws {
    var bytes = whole
    bytes[bodies] ^= 1
    bytes[whole.count - 1] ^= 1
    try scratch.put(bytes, as: vaultName)
    let vault = scratch.vault()
    try vault.write(alice, "again")
    #expect(try vault.text(of: alice) == "again")
    #expect(throws: error(.damaged)) { try vault.text(of: bob) }
    #expect(try vault.remove(bob))
    #expect(try vault.accounts() == [alice])
  }

  @Test func `a file cut anywhere is damaged`() throws {
    for length in whole.indices {
      try expectRefusal(of: Array(whole[..<length]), .damaged, "length \(length)")
    }
  }

  @Test func `a byte too many is damage`() throws {
    try expectRefusal(of: whole + [0], .damaged, "one byte")
  }

  @Test func `another version is refused and not taken for damage`() throws {
    var bytes = whole
    bytes[9] = 4
    try expectRefusal(of: Array(bytes[..<9]), .damaged, "too short to be told")
    try expectRefusal(of: Array(bytes[..<20]), .unsupportedVersion, "a layout that we do not know")
  }

  @Test func `an index of somebody without the key is refused`() throws {
    // Well formed and with a correct check: only the tag reveals it.
    var bytes = whole
    // The last byte of the generation, after the 30 bytes of the header.
    bytes[37] += 1
    let covered = bodies - VaultFormat.tagLength - VaultFormat.checkLength
    bytes.replaceSubrange(
      covered..<covered + VaultFormat.checkLength, with: try VaultFile.checkBytes(of: bytes[..<covered]))
    try expectRefusal(of: bytes, .damaged, "forged")
  }

  @Test func `a record does not pass for one of another protection, nor for one under a newer key`() throws {
    let vault = scratch.vault()
    try vault.createProtection(.passphrase, secret: secret("one"))
    let unverified = try UnverifiedVaultFile(parsing: scratch.bytes(of: vaultName))
    let key = try unverified.unlock(with: vault.bindings, in: scratch.directory())
    let file = try unverified.verified(with: key)
    let record = try #require(file.records.first)
    var moved = file
    moved.records[0] = SealedRecord(
      name: record.name, protection: .passphrase, generation: record.generation, nonce: record.nonce,
      sealed: record.sealed)
    try scratch.put(moved.encoded(with: key), as: vaultName)
    #expect(throws: error(.damaged)) { try vault.text(of: alice) }
    #expect(try vault.text(of: bob) == "second!")
    // The same secret with another epoch is another key.
    let later = try DataKey(key.secret.copy(), header: key.header, protection: .device, epoch: key.epoch + 1)
    #expect(throws: VaultError(.damaged)) { _ = try later.open(record) }
  }

  @Test func `a record does not pass for another of the same length`() throws {
    try scratch.vault().write(alice, "firsts!")
    var bytes = try scratch.bytes(of: vaultName)
    let length = 7 + VaultFormat.sealOverhead
    let (first, second) = (bytes.suffix(2 * length).prefix(length), bytes.suffix(length))
    bytes.replaceSubrange((bytes.count - 2 * length)..., with: second + first)
    try scratch.put(bytes, as: vaultName)
    #expect(throws: error(.damaged)) { try scratch.vault().text(of: alice) }
    #expect(throws: error(.damaged)) { try scratch.vault().text(of: bob) }
  }

  @Test func `an older copy put back is noticed by who saw the newer one`() throws {
    let vault = scratch.vault()
    try vault.write(alice, "newer")
    try scratch.put(whole, as: vaultName)
    #expect(throws: error(.rolledBack)) { try vault.text(of: alice) }
    #expect(throws: error(.rolledBack)) { try vault.write(alice, "newest") }
    #expect(try scratch.bytes(of: vaultName) == whole)
    #expect(try scratch.vault().text(of: alice) == "first")
  }
}
