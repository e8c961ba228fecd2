import Crypto
import Testing

@Suite struct `Public keys` {
  static func rsa(_ modulus: [UInt8], _ exponent: [UInt8]) throws -> PublicKey.Kind {
    try PublicKey(rsaModulus: modulus, exponent: exponent).kind
  }

  @Test func `good keys have their kind`() throws {
    #expect(try Self.rsa(KeyVectors.modulus, KeyVectors.exponent) == .rsa(bits: 2048))
    let ec = try PublicKey(curve: .p256, x: KeyVectors.x, y: KeyVectors.y)
    #expect(ec.kind == .ec(.p256))
    #expect(ec.components == .ec(curve: .p256, x: KeyVectors.x, y: KeyVectors.y))
    let edwards = try PublicKey(.raw(.ed25519, KeyVectors.edwards))
    #expect(edwards.kind == .raw(.ed25519))
  }

  // RFC 7518 section 3.3.
  @Test(arguments: [1024, 2040, 2047, 8193, 16_384]) func `an RSA modulus of another size is refused`(bits: Int) {
    var modulus = repeated(0xff, (bits + 7) / 8)
    modulus[0] = 0xff >> UInt8((8 - bits % 8) % 8)
    #expect(throws: CryptoError(.invalidKey, "RSA modulus")) { try Self.rsa(modulus, [1, 0, 1]) }
  }

  @Test(arguments: [2048, 8192]) func `the smallest and the largest RSA modulus are taken`(bits: Int) throws {
    #expect(try Self.rsa(repeated(0xff, bits / 8), [3]) == .rsa(bits: bits))
  }

  @Test func `an even, empty or zero-padded RSA modulus is refused`() {
    let error = CryptoError(.invalidKey, "RSA modulus")
    #expect(throws: error) { try Self.rsa(flipping(KeyVectors.modulus, at: 255), [1, 0, 1]) }
    #expect(throws: error) { try Self.rsa([], [1, 0, 1]) }
    #expect(throws: error) { try Self.rsa([0] + KeyVectors.modulus, [1, 0, 1]) }
  }

  @Test(arguments: [
    [], [0], [1], [2], [4], [0, 3], [1, 0, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 0, 1],
  ])
  func `an RSA exponent that is even, below three, padded or above 2^32 is refused`(exponent: [UInt8]) {
    #expect(throws: CryptoError(.invalidKey, "RSA exponent")) { try Self.rsa(KeyVectors.modulus, exponent) }
  }

  @Test(arguments: [[3], [17], [1, 0, 1], [0xff, 0xff, 0xff, 0xff]])
  func `a usual RSA exponent is taken`(exponent: [UInt8]) throws {
    #expect(try Self.rsa(KeyVectors.modulus, exponent) == .rsa(bits: 2048))
  }

  // RFC 7518 section 6.2.1.2: exactly as long as the field.
  @Test func `EC coordinates of another length are refused`() {
    let error = CryptoError(.invalidKey, "EC coordinates")
    for x in [[0] + KeyVectors.x, Array(KeyVectors.x.dropLast()), []] {
      #expect(throws: error) { _ = try PublicKey(curve: .p256, x: x, y: KeyVectors.y).kind }
    }
    #expect(throws: error) { _ = try PublicKey(curve: .p384, x: KeyVectors.x, y: KeyVectors.y).kind }
  }

  // RFC 8725 section 3.4.
  @Test func `a point beside the curve is refused`() {
    for index in KeyVectors.y.indices {
      let error = #expect(throws: CryptoError.self) {
        _ = try PublicKey(curve: .p256, x: KeyVectors.x, y: flipping(KeyVectors.y, at: index)).kind
      }
      #expect(error?.code == .invalidKey)
    }
    for x in [repeated(0, 32), repeated(0xff, 32)] {
      let error = #expect(throws: CryptoError.self) { _ = try PublicKey(curve: .p256, x: x, y: x).kind }
      #expect(error?.code == .invalidKey)
    }
  }

  @Test(arguments: [0, 31, 33]) func `an Ed25519 key of another length is refused`(count: Int) {
    #expect(throws: CryptoError(.invalidKey, "raw key")) {
      _ = try PublicKey(.ed25519, repeated(9, count)).kind
    }
  }

  // RFC 8032 section 5.1.3; the small-order points have the orders 1, 2, 4 and 8.
  @Test(arguments: [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    // Not canonical: the prime itself, the next number, and the largest number of 255 bits.
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ])
  func `an Ed25519 key of small order or in another encoding is refused, with either sign`(text: String) {
    for point in [hex(text), flipping(hex(text), at: 31, bit: 7)] {
      #expect(throws: CryptoError(.invalidKey, "raw key")) { _ = try PublicKey(.ed25519, point).kind }
    }
  }

  // RFC 8032 section 5.1.3. The smallest y with a point were computed independently.
  @Test func `an Ed25519 key beside the curve is refused, with either sign`() throws {
    let beside: Set<UInt8> = [2, 7, 8, 11, 12, 13, 17, 20, 22]
    for y in UInt8(2)..<30 {
      for sign: UInt8 in [0, 0x80] {
        let encoding = [y] + [UInt8](repeating: 0, count: 30) + [sign]
        if beside.contains(y) {
          #expect(throws: CryptoError(.invalidKey, "raw key"), "\(y)") {
            _ = try PublicKey(.ed25519, encoding).kind
          }
        } else {
          #expect(try PublicKey(.ed25519, encoding).kind == .raw(.ed25519), "\(y)")
        }
      }
    }
  }

  @Test func `signature lengths follow from the kind`() {
    let kinds: [PublicKey.Kind] = [
      .rsa(bits: 2048), .rsa(bits: 2049), .ec(.p256), .ec(.p384), .ec(.p521), .raw(.ed25519),
    ]
    #expect(kinds.map(\.signatureByteCount) == [256, 257, 64, 96, 132, 64])
  }
}
