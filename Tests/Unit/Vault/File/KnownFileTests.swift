import Testing
import Vault
import Vocabulary

/// A file of format version 2 and its device secret, created by another program from the format's description. It must
/// always open.
@Suite struct `A file of the second format` {
  private static let deviceSecret = "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
  private static let file =
    """
    4147454e54564c54000201010100e0e1e2e3e4e5e6e7e8e9eaebecedeeef000000000000000500000000000000010000\
    0000000000040000000000000000040301000100003c000102030405060708090a0bfbc2c0e546f98a4a9872acec926e\
    981427de7bf2a71187d52a371a2c03d9d2881e32721139bc2857702f649d29030ad203000301004f0f08015555555555\
    55555555555555555555553333333333333333333333338110633b2cf00a54f29ea0a0b1b3f19d41fd6d3a605094e587\
    90002fd2ffb27070ec124a8d1422e4a0d2c3129462b26604000300004f0f080155555555555555555555555555555555\
    44444444444444444444444472c06f0e981fac4ff79cb392eff2859c0e2e1e89ec5fc060c7dc51d1454f5904c38650a7\
    a1f92d53235971b73f05364c000305616c6963650000000000000000021111111111111111111111110000002003626f\
    6200000000000000000322222222222222222222222200000010056361726f6c01000000000000000566666666666666\
    666666666600000021162d8af98eff798600e7b78d04677f876ffb7998218fabd41d26e9fb54867b06b7fcf1a533ea81\
    7b5077d55a02845b6ed55887dce6570f1b97f8ac2ad9799c38c750975be9231002ea1805266bc9c5f2739e4f40ee7395\
    8fede0e84a6795984136f56e939f824dd5cdaacf0f3c73631d99ea34f52b6dae71280a69315c3b7e3712
    """

  private func bytes(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8).map { UInt8($0 < 58 ? $0 - 48 : $0 - 87) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private func vault(in scratch: Scratch) throws -> Vault {
    try scratch.put(bytes(Self.deviceSecret), as: "device.key")
    try scratch.put(bytes(Self.file), as: vaultName)
    return scratch.vault()
  }

  @Test func `it opens, and what is added to it is read`() throws {
    let scratch = try Scratch()
    let vault = try vault(in: scratch)
    #expect(try vault.accounts() == [alice, bob, carol])
    #expect(try vault.text(of: alice) == "the first secret")
    #expect(try vault.text(of: bob) == "")
    #expect(try vault.read(bob)?.generation == 3)
    #expect(try vault.write(bob, "more") == 6)
    #expect(try vault.text(of: bob) == "more")
  }

  @Test func `its passphrase opens what it hides`() throws {
    let scratch = try Scratch()
    let vault = try vault(in: scratch)
    #expect(throws: VaultError(.locked(.passphrase), path: scratch.file(vaultName))) { try vault.text(of: carol) }
    try vault.unlock(.passphrase, secret: secret("open sesame"))
    #expect(try vault.text(of: carol) == "the hidden secret")
    #expect(try vault.addPassphrase(for: .passphrase, secret("another")).number == 5)
  }

  @Test func `a write makes it a file of the present format, and what it hides goes on opening`() throws {
    let scratch = try Scratch()
    try vault(in: scratch).write(alice, content: secret("new"), label: PersonLabel("Alice"))
    #expect(try scratch.bytes(of: vaultName)[9] == 3)
    let vault = scratch.vault()
    #expect(try vault.snapshot()?.label(of: alice)?.text == "Alice")
    #expect(try vault.snapshot()?.label(of: carol) == nil)
    try vault.unlock(.passphrase, secret: secret("open sesame"))
    #expect(try vault.text(of: carol) == "the hidden secret")
  }

  @Test func `its way back opens it without its device`() throws {
    let scratch = try Scratch()
    let vault = try vault(in: scratch)
    try scratch.remove("device.key")
    try vault.unlock(.device, secret: secret("way back"))
    #expect(try vault.text(of: alice) == "the first secret")
  }

  @Test func `a file of the first format is refused as one of another version`() throws {
    let scratch = try Scratch()
    let vault = try vault(in: scratch)
    var older = bytes(Self.file)
    older[9] = 1
    try scratch.put(older, as: vaultName)
    #expect(throws: VaultError(.unsupportedVersion, path: scratch.file(vaultName))) { try vault.accounts() }
  }
}
