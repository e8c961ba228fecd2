import Testing
import Vault

/// A file of format version 1 and its device secret, made by another program from the description
/// of the format. It must open for ever.
@Suite struct `A file written by the first version` {
  private static let deviceSecret = "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
  private static let file =
    """
    4147454e54564c54000101010100e0e1e2e3e4e5e6e7e8e9eaebecedeeef0000000000000003010001003c0001020304\
    05060708090a0bf8f2d0e23fcf5d1aac21244312538d21629eec05a300a93af27a6776c095c74b7111a89e5854c0569c\
    bf78d437f31a19000205616c69636500000000000000021111111111111111111111110000002003626f620000000000\
    00000322222222222222222222222200000010d7ea21a6f77a422af1d0ff393633b77da2663b531f935bdfadcd854e35\
    18a06f1e9ff98ba97ec3cb1d4d06138160d546d9645bfedb0846f66a73e7c72d6c808fa81dea16cdbfe6cca2df6236fe\
    720b1ae7b2934a48dfef9a508f5b03127299ed
    """

  private func bytes(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8).map { UInt8($0 < 58 ? $0 - 48 : $0 - 87) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  @Test func `it opens, and what is added to it is read`() throws {
    let scratch = try Scratch()
    try scratch.put(bytes(Self.deviceSecret), as: "device.key")
    try scratch.put(bytes(Self.file), as: vaultName)
    let vault = scratch.vault()
    #expect(try vault.accounts() == [alice, bob])
    #expect(try vault.text(of: alice) == "the first secret")
    #expect(try vault.text(of: bob) == "")
    #expect(try vault.read(bob)?.generation == 3)
    #expect(try vault.write(bob, "more") == 4)
    #expect(try vault.text(of: bob) == "more")
  }
}
