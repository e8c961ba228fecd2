import Crypto
import Testing

private func accepts(
  _ key: borrowing PublicKey, _ algorithm: SignatureAlgorithm, _ signature: [UInt8], _ message: [UInt8]
) throws -> Bool {
  try key.verify(algorithm, signature: signature.span, message: message.span)
}

@Suite struct `Signatures` {
  static let curves: [(Curve, Digest)] = [(.p256, .sha256), (.p384, .sha384), (.p521, .sha512)]
  static let message = utf8("a message")

  @Test(arguments: curves) func `an ECDSA signature fits its message only`(curve: Curve, digest: Digest) throws {
    let key = try PrivateKey.generateEC(curve)
    let publicKey = try key.publicKey()
    let algorithm = SignatureAlgorithm.ecdsa(curve, digest)
    let signature = try key.sign(algorithm, message: Self.message.span)
    #expect(signature.count == 2 * curve.coordinateByteCount)
    #expect(try accepts(publicKey, algorithm, signature, Self.message))
    for index in signature.indices {
      #expect(try !accepts(publicKey, algorithm, flipping(signature, at: index, bit: index % 8), Self.message))
    }
    for index in Self.message.indices {
      #expect(try !accepts(publicKey, algorithm, signature, flipping(Self.message, at: index)))
    }
  }

  @Test func `an Ed25519 signature fits its message only`() throws {
    let key = try PrivateKey.generate(.ed25519)
    let publicKey = try key.publicKey()
    let signature = try key.sign(.raw(.ed25519), message: Self.message.span)
    #expect(try accepts(publicKey, .raw(.ed25519), signature, Self.message))
    for index in signature.indices {
      #expect(try !accepts(publicKey, .raw(.ed25519), flipping(signature, at: index, bit: index % 8), Self.message))
    }
    #expect(try !accepts(publicKey, .raw(.ed25519), signature, Self.message + [0]))
  }

  @Test(arguments: Digest.allCases) func `RSA signatures fit their message and scheme only`(digest: Digest) throws {
    let key = try PrivateKey.generateRSA(bits: 2048)
    let publicKey = try key.publicKey()
    let schemes: [SignatureAlgorithm] = [.rsaPKCS1(digest), .rsaPSS(digest)]
    for scheme in schemes {
      let signature = try key.sign(scheme, message: Self.message.span)
      #expect(signature.count == 256)
      for other in schemes {
        #expect(try accepts(publicKey, other, signature, Self.message) == (other == scheme))
      }
      for index in signature.indices {
        #expect(try !accepts(publicKey, scheme, flipping(signature, at: index, bit: index % 8), Self.message))
      }
      #expect(try !accepts(publicKey, scheme, signature, []))
    }
  }

  @Test func `a key that verified once tells good signatures from bad ones as before, of any algorithm`() throws {
    let rsa = try PrivateKey.generateRSA(bits: 2048)
    let rsaKey = try rsa.publicKey()
    let other = try PrivateKey.generateRSA(bits: 2048)
    let edwards = try PrivateKey.generate(.ed25519)
    let edwardsKey = try edwards.publicKey()
    let algorithms: [SignatureAlgorithm] = [.rsaPKCS1(.sha256), .rsaPSS(.sha256), .rsaPKCS1(.sha512), .rsaPSS(.sha384)]
    for _ in 0..<3 {
      for algorithm in algorithms {
        let signature = try rsa.sign(algorithm, message: Self.message.span)
        #expect(try accepts(rsaKey, algorithm, signature, Self.message))
        #expect(try !accepts(rsaKey, algorithm, signature, Self.message + [0]))
        #expect(try !accepts(rsaKey, algorithm, other.sign(algorithm, message: Self.message.span), Self.message))
        for wrong in algorithms where wrong != algorithm {
          #expect(try !accepts(rsaKey, wrong, signature, Self.message))
        }
      }
      let signature = try edwards.sign(.raw(.ed25519), message: Self.message.span)
      #expect(try accepts(edwardsKey, .raw(.ed25519), signature, Self.message))
      #expect(try !accepts(edwardsKey, .raw(.ed25519), signature, Self.message + [0]))
    }
  }

  @Test func `RSA signatures with another hash do not fit`() throws {
    let key = try PrivateKey.generateRSA(bits: 2048)
    let publicKey = try key.publicKey()
    for (made, read) in [(Digest.sha256, Digest.sha512), (.sha384, .sha256)] {
      let first = try key.sign(.rsaPKCS1(made), message: Self.message.span)
      let second = try key.sign(.rsaPSS(made), message: Self.message.span)
      #expect(try !accepts(publicKey, .rsaPKCS1(read), first, Self.message))
      #expect(try !accepts(publicKey, .rsaPSS(read), second, Self.message))
    }
  }

  // RFC 7518 section 3.5: the salt is as long as the hash.
  @Test func `a PSS signature with a salt of another length is refused`() throws {
    let key = try PublicKey(rsaModulus: KeyVectors.modulus, exponent: KeyVectors.exponent)
    for vector in KeyVectors.pss {
      #expect(try accepts(key, .rsaPSS(.sha256), vector.signature, utf8("salt")) == (vector.salt == 32))
    }
    #expect(try !accepts(key, .rsaPSS(.sha256), KeyVectors.pssOtherMask, utf8("salt")))
  }

  // RFC 8017 section 8.2.2: as long as the modulus.
  @Test func `an RSA signature of another length is refused`() throws {
    let key = try PrivateKey.generateRSA(bits: 2048)
    let publicKey = try key.publicKey()
    let signature = try key.sign(.rsaPKCS1(.sha256), message: Self.message.span)
    for other in [[], [0], Array(signature.dropLast()), Array(signature.dropFirst()), [0] + signature, signature + [0]]
    {
      #expect(try !accepts(publicKey, .rsaPKCS1(.sha256), other, Self.message))
    }
  }

  // RFC 7518 section 3.4: two numbers in fixed width, each in 1...n - 1.
  @Test(arguments: curves) func `an ECDSA signature with a number out of range is refused`(
    curve: Curve, digest: Digest
  ) throws {
    let key = try PrivateKey.generateEC(curve)
    let publicKey = try key.publicKey()
    let algorithm = SignatureAlgorithm.ecdsa(curve, digest)
    let signature = try key.sign(algorithm, message: Self.message.span)
    let width = curve.coordinateByteCount
    let (r, s) = (Array(signature.prefix(width)), Array(signature.suffix(width)))
    let (zero, one, all) = (repeated(0, width), repeated(0, width - 1) + [1], repeated(0xff, width))
    for (first, second) in [(zero, s), (r, zero), (zero, zero), (all, s), (r, all), (one, one), (zero, one), (s, r)] {
      #expect(try !accepts(publicKey, algorithm, first + second, Self.message))
    }
  }

  @Test func `adding the group order to a number of an ECDSA signature does not fit`() throws {
    // Numbers so small that 32 bytes hold them with the order added, and a key that fits the signature.
    let publicKey = try PublicKey(
      curve: .p256, x: hex("70b87b18279fd7f6f62cd48f8ad408b9e0b1f607218e2cec10a76d299f7c2fbf"),
      y: hex("ec43e2f7d66f8db9a945ed72d19fdde71e4eaf63e6f5edea4e22e1b52011514b"))
    let (r, s) = (repeated(0, 31) + [5], repeated(0, 31) + [3])
    let start = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc6325")
    let (order, orderAndR, orderAndS) = (start + [0x51], start + [0x56], start + [0x54])
    #expect(try accepts(publicKey, .ecdsa(.p256, .sha256), r + s, Self.message))
    for other in [orderAndR + s, r + orderAndS, orderAndR + orderAndS, order + s, order + order] {
      #expect(try !accepts(publicKey, .ecdsa(.p256, .sha256), other, Self.message))
    }
  }

  @Test(arguments: curves) func `an ECDSA signature of another length or in DER is refused`(
    curve: Curve, digest: Digest
  ) throws {
    let key = try PrivateKey.generateEC(curve)
    let publicKey = try key.publicKey()
    let algorithm = SignatureAlgorithm.ecdsa(curve, digest)
    let signature = try key.sign(algorithm, message: Self.message.span)
    let half = curve.coordinateByteCount
    // The same two numbers, each a byte wider.
    let wider = [0] + signature[..<half] + [0] + signature[half...]
    for other in [[], Array(signature.dropLast()), signature + [0], [0] + signature, wider, der(signature)] {
      #expect(try !accepts(publicKey, algorithm, other, Self.message))
    }
  }

  @Test func `an algorithm that does not fit the key is an error`() throws {
    let keys = [
      try PublicKey(.raw(.ed25519, KeyVectors.edwards)).components, .ec(curve: .p256, x: KeyVectors.x, y: KeyVectors.y),
    ]
    for components in keys {
      let key = try PublicKey(components)
      for algorithm in [SignatureAlgorithm.rsaPKCS1(.sha256), .rsaPSS(.sha256), .ecdsa(.p384, .sha384)] {
        #expect(throws: CryptoError(.unsupportedAlgorithm, "verify")) {
          _ = try accepts(key, algorithm, repeated(1, 64), [])
        }
      }
    }
    let rsa = try PublicKey(rsaModulus: KeyVectors.modulus, exponent: KeyVectors.exponent)
    #expect(throws: CryptoError(.unsupportedAlgorithm, "verify")) {
      _ = try accepts(rsa, .raw(.ed25519), repeated(1, 64), [])
    }
    let signer = try PrivateKey.generate(.ed25519)
    #expect(throws: CryptoError(.unsupportedAlgorithm, "sign")) {
      _ = try signer.sign(.ecdsa(.p256, .sha256), message: Self.message.span)
    }
  }

  // RFC 8032 section 7.1, test 1, and section 5.1.7: S must be below the group order.
  @Test func `the known Ed25519 signature fits, with the order added to S it does not`() throws {
    let key = try PublicKey(.ed25519, KeyVectors.edwards)
    #expect(try accepts(key, .raw(.ed25519), KeyVectors.edwardsSignature, []))
    let order = hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
    var signature = KeyVectors.edwardsSignature
    var carry = 0
    for index in 0..<32 {
      let sum = Int(signature[32 + index]) + Int(order[index]) + carry
      signature[32 + index] = UInt8(sum & 0xff)
      carry = sum >> 8
    }
    #expect(try !accepts(key, .raw(.ed25519), signature, []))
  }

  /// The DER form of a signature of two halves (RFC 3279 section 2.2.3).
  private func der(_ signature: [UInt8]) -> [UInt8] {
    let half = signature.count / 2
    let numbers = [Array(signature.prefix(half)), Array(signature.suffix(half))].flatMap { number in
      var bytes = Array(number.drop { $0 == 0 })
      if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
      return [0x02, UInt8(bytes.count)] + bytes
    }
    return (numbers.count < 0x80 ? [0x30, UInt8(numbers.count)] : [0x30, 0x81, UInt8(numbers.count)]) + numbers
  }
}
