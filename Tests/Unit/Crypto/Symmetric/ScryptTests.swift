import Crypto
import Testing

@Suite struct `Key derivation from a passphrase` {
  struct Vector: Sendable, CustomTestStringConvertible {
    let passphrase: String
    let salt: String
    let cost: Scrypt.Cost
    let key: String
    var testDescription: String { "\(passphrase) \(cost.logarithm)" }
  }

  // RFC 7914 section 12, all four.
  static let vectors = [
    Vector(
      passphrase: "", salt: "", cost: .init(logarithm: 4, blockSize: 1, parallelism: 1),
      key: """
        77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442\
        fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
        """),
    Vector(
      passphrase: "password", salt: "NaCl", cost: .init(logarithm: 10, blockSize: 8, parallelism: 16),
      key: """
        fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162\
        2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
        """),
    Vector(
      passphrase: "pleaseletmein", salt: "SodiumChloride", cost: .init(logarithm: 14, blockSize: 8, parallelism: 1),
      key: """
        7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\
        d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
        """),
    Vector(
      passphrase: "pleaseletmein", salt: "SodiumChloride", cost: .init(logarithm: 20, blockSize: 8, parallelism: 1),
      key: """
        2101cb9b6a511aaeaddbbe09cf70f881ec568d574a2ffd4dabe5ee9820adaa47\
        8e56fd8f4ba5d09ffa1c6d927c40f4c337304049e8a952fbcbf45c6fa77a41a4
        """),
  ]

  @Test(arguments: vectors) func `gives the answers of RFC 7914 section 12`(vector: Vector) throws {
    let (passphrase, salt) = (Array(vector.passphrase.utf8), Array(vector.salt.utf8))
    let key = try Scrypt.derive(passphrase.span, salt: salt.span, cost: vector.cost, count: 64)
    let text = key.withBytes { bytes in bytes.indices.map { hexadecimal(bytes[$0]) }.joined() }
    #expect(text == vector.key)
  }

  private func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  @Test func `takes no parameters that would take the machine`() {
    let salt: [UInt8] = []
    for cost in [(0, 8, 1), (25, 8, 1), (14, 0, 1), (14, 65, 1), (14, 8, 0), (14, 8, 65), (64, 8, 1), (-1, 8, 1)] {
      let cost = Scrypt.Cost(logarithm: cost.0, blockSize: cost.1, parallelism: cost.2)
      #expect(cost.memory == .max)
      #expect(throws: CryptoError(.invalidLength, "scrypt")) {
        _ = try Scrypt.derive(salt.span, salt: salt.span, cost: cost, count: 32)
      }
    }
  }

  @Test func `tells its memory`() {
    #expect(Scrypt.Cost.standard.memory == 128 << 20)
    #expect(Scrypt.Cost(logarithm: 20, blockSize: 8, parallelism: 4).memory == 1 << 30)
  }
}
