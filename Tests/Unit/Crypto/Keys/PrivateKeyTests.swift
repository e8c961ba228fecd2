import Crypto
import Testing

@Suite struct `Private keys` {
  // RFC 8032 section 7.1, test 1.
  @Test func `the Ed25519 key of a seed signs as RFC 8032 says`() throws {
    let key = try PrivateKey(ed25519Seed: try secret(KeyVectors.seed))
    #expect(key.publicComponents == .raw(.ed25519, KeyVectors.edwards))
    #expect(try key.sign(.raw(.ed25519), message: [UInt8]().span) == KeyVectors.edwardsSignature)
  }

  @Test(arguments: [0, 31, 33]) func `a seed of another length is refused`(count: Int) {
    #expect(throws: CryptoError(.invalidKey, "Ed25519 seed")) {
      _ = try PrivateKey(ed25519Seed: try secret(repeated(1, count))).kind
    }
  }

  @Test(arguments: Curve.allCases) func `an EC key survives being stored`(curve: Curve) throws {
    try Self.checkStoring(try PrivateKey.generateEC(curve))
  }

  @Test func `RSA and Ed25519 keys survive being stored`() throws {
    try Self.checkStoring(try PrivateKey.generateRSA(bits: 2048))
    try Self.checkStoring(try PrivateKey.generate(.ed25519))
  }

  static func checkStoring(_ key: borrowing PrivateKey) throws {
    let stored = try key.serialized()
    let restored = try stored.withBytes { bytes in try PrivateKey(serialized: bytes) }
    #expect(restored.publicComponents == key.publicComponents)
    #expect(restored.kind == key.kind)
    let again = try restored.serialized()
    let same = again.isEqual(to: stored)
    #expect(same)
  }

  @Test func `a stored key that is cut short or longer is refused`() throws {
    let bytes = revealed(try PrivateKey.generateEC(.p256).serialized())
    for count in bytes.indices {
      let error = #expect(throws: CryptoError.self) {
        _ = try PrivateKey(serialized: Array(bytes.prefix(count)).span).kind
      }
      #expect(error?.code == .invalidKey)
    }
    #expect(throws: CryptoError(.invalidKey, "private key")) {
      _ = try PrivateKey(serialized: (bytes + [0]).span).kind
    }
  }

  @Test(arguments: [0, 1024, 2047, 8193, Int.max]) func `an RSA key of another size is not made`(bits: Int) {
    #expect(throws: CryptoError(.invalidLength, "RSA key")) { _ = try PrivateKey.generateRSA(bits: bits).kind }
  }

  @Test func `an RSA key has the size and the exponent asked for`() throws {
    let key = try PrivateKey.generateRSA(bits: 2048)
    guard case .rsa(let modulus, let exponent) = key.publicComponents else {
      Issue.record("not an RSA key")
      return
    }
    #expect(modulus.count == 256 && exponent == [1, 0, 1])
    #expect(key.kind == .rsa(bits: 2048))
  }
}
