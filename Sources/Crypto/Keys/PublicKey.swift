internal import COpenSSL

/// A key that verifies signatures. Only a valid and sufficiently strong key can exist.
package struct PublicKey: ~Copyable, Sendable {
  /// The type and the size of a key, which decide about its algorithms.
  package enum Kind: Sendable, Hashable {
    case rsa(bits: Int)
    case p256, p384, p521
    case ed25519

    /// The curve of an ECDSA key; nil for the others.
    package var curve: Curve? {
      switch self {
      case .p256: .p256
      case .p384: .p384
      case .p521: .p521
      case .rsa, .ed25519: nil
      }
    }
  }

  /// Type and size.
  package let kind: Kind
  /// The numbers of the key.
  package let components: PublicComponents
  private let handle: KeyHandle
  private let contexts = VerifyingContexts()

  private init(_ kind: Kind, _ components: PublicComponents, _ handle: consuming KeyHandle) {
    self.kind = kind
    self.components = components
    self.handle = handle
  }

  /// A key from its numbers.
  ///
  /// - Throws: `invalidKey`; see the initialiser of each kind for the rules.
  package init(_ components: PublicComponents) throws(CryptoError) {
    switch components {
    case .rsa(let modulus, let exponent): try self.init(rsaModulus: modulus, exponent: exponent)
    case .ec(let curve, let x, let y): try self.init(curve: curve, x: x, y: y)
    case .ed25519(let x): try self.init(ed25519: x)
    }
  }

  /// An RSA key from big-endian numbers without leading zeros.
  ///
  /// - Parameters:
  ///   - modulus: Odd, 2048 to 8192 bits (RFC 7518 section 3.3; the upper bound is ours), and not of the form in
  ///     CVE-2017-15361.
  ///   - exponent: Odd, 3...2^32.
  package init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
    let bits = try RSANumbers.check(modulus: modulus, exponent: exponent)
    let handle = try RSANumbers.makeKey(modulus: modulus, exponent: exponent)
    self.init(.rsa(bits: bits), .rsa(modulus: modulus, exponent: exponent), handle)
  }

  /// Checks the numbers of an RSA key, without making the key.
  ///
  /// - Throws: `invalidKey`.
  package static func checkRSA(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
    _ = try RSANumbers.check(modulus: modulus, exponent: exponent)
  }

  /// An ECDSA key. The point is checked to be one of the curve (RFC 8725 section 3.4).
  ///
  /// - Parameters:
  ///   - x: Exactly as long as the curve's field (RFC 7518 section 6.2.1.2).
  ///   - y: The same.
  package init(curve: Curve, x: [UInt8], y: [UInt8]) throws(CryptoError) {
    guard x.count == curve.coordinateByteCount, y.count == curve.coordinateByteCount
    else { throw CryptoError(.invalidKey, "EC coordinates") }
    let handle = try ECPoint.makeKey(curve: curve, x: x, y: y)
    self.init(Kind(curve), .ec(curve: curve, x: x, y: y), handle)
  }

  /// An Ed25519 key.
  ///
  /// - Parameter x: 32 bytes, the canonical encoding of a point of the curve that is not of small order.
  package init(ed25519 x: [UInt8]) throws(CryptoError) {
    guard try Ed25519Point.isAcceptable(x) else { throw CryptoError(.invalidKey, "Ed25519 point") }
    ErrorQueue.clear()
    guard let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, x, x.count) else {
      throw .library("EVP_PKEY_new_raw_public_key", code: .invalidKey)
    }
    self.init(.ed25519, .ed25519(x: x), unsafe KeyHandle(owning: key))
  }

  /// Whether `signature` is this key's signature over `message`.
  ///
  /// - Parameter signature: In the form JOSE uses: as long as the modulus for RSA (RFC 8017 section 8.2.2),
  ///   R and S in fixed width for ECDSA (RFC 7518 section 3.4), 64 bytes for Ed25519. Another length is false.
  /// - Throws: `unsupportedAlgorithm` when the algorithm does not fit the key. A wrong signature is no error.
  package borrowing func verify(
    _ algorithm: SignatureAlgorithm, signature: Span<UInt8>, message: Span<UInt8>
  ) throws(CryptoError) -> Bool {
    guard algorithm.fits(kind) else { throw CryptoError(.unsupportedAlgorithm, "verify") }
    guard signature.count == kind.signatureByteCount else { return false }
    ErrorQueue.clear()
    let context = try contexts.context(for: algorithm, with: handle)
    guard case .ecdsa = algorithm else { return context.verify(signature, message) }
    let der = try ECDSASignature.encodeDER(signature)
    return context.verify(der.span, message)
  }
}

extension PublicKey.Kind {
  init(_ curve: Curve) {
    switch curve {
    case .p256: self = .p256
    case .p384: self = .p384
    case .p521: self = .p521
    }
  }

  /// The length of every signature by such a key, in bytes.
  package var signatureByteCount: Int {
    switch self {
    case .rsa(let bits): (bits + 7) / 8
    case .p256, .p384, .p521: 2 * (curve?.coordinateByteCount ?? 0)
    case .ed25519: 64
    }
  }
}

/// The numbers that make up a public key, as JSON Web Keys hold them (RFC 7518 section 6, RFC 8037 section 2).
package enum PublicComponents: Sendable, Hashable {
  /// Big-endian numbers without leading zero bytes.
  case rsa(modulus: [UInt8], exponent: [UInt8])
  /// Big-endian coordinates, each exactly as long as the curve's field.
  case ec(curve: Curve, x: [UInt8], y: [UInt8])
  /// The 32-byte encoding of RFC 8032 section 5.1.2.
  case ed25519(x: [UInt8])
}

/// A public key with several owners, for values that must be copyable.
package final class SharedPublicKey: Sendable {
  /// The key.
  package let key: PublicKey

  /// Takes over a key.
  package init(_ key: consuming PublicKey) {
    self.key = key
  }
}
