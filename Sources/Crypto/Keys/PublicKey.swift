internal import COpenSSL

/// A valid and sufficiently strong public key for verifying signatures.
package struct PublicKey: ~Copyable, Sendable {
  /// A key's type and size, which determine its algorithms.
  package enum Kind: Sendable, Hashable {
    case rsa(bits: Int)
    case ec(Curve)
    case raw(RawKeyType)

    /// Nil unless for ECDSA.
    package var curve: Curve? { if case .ec(let curve) = self { curve } else { nil } }

    package var signatureByteCount: Int {
      switch self {
      case .rsa(let bits): (bits + 7) / 8
      case .ec(let curve): 2 * curve.coordinateByteCount
      case .raw(let type): type.properties.signatureByteCount
      }
    }
  }

  package let kind: Kind
  package let components: PublicComponents
  private let handle: KeyHandle
  private let contexts = VerifyingContexts()

  private init(_ kind: Kind, _ components: PublicComponents, _ handle: consuming KeyHandle) {
    self.kind = kind
    self.components = components
    self.handle = handle
  }

  /// Throws `invalidKey` by the rules of the other initializers.
  package init(_ components: PublicComponents) throws(CryptoError) {
    switch components {
    case .rsa(let modulus, let exponent): try self.init(rsaModulus: modulus, exponent: exponent)
    case .ec(let curve, let x, let y): try self.init(curve: curve, x: x, y: y)
    case .raw(let type, let bytes): try self.init(type, bytes)
    }
  }

  /// An RSA key from big-endian numbers without leading zeros. `modulus` is odd, of 2048 (RFC 7518 section 3.3) to 8192
  /// bits, without the weakness of CVE-2017-15361. `exponent` is odd, 3...2^32.
  package init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
    let bits = try RSANumbers.check(modulus: modulus, exponent: exponent)
    let handle = try RSANumbers.makeKey(modulus: modulus, exponent: exponent)
    self.init(.rsa(bits: bits), .rsa(modulus: modulus, exponent: exponent), handle)
  }

  /// Throws `invalidKey` for numbers that ``init(rsaModulus:exponent:)`` rejects.
  package static func checkRSA(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
    _ = try RSANumbers.check(modulus: modulus, exponent: exponent)
  }

  /// `x` and `y` are as long as the curve's field (RFC 7518 section 6.2.1.2). Throws `invalidKey`, also if the point is
  /// not on the curve (RFC 8725 section 3.4).
  package init(curve: Curve, x: [UInt8], y: [UInt8]) throws(CryptoError) {
    guard x.count == curve.coordinateByteCount, y.count == curve.coordinateByteCount
    else { throw CryptoError(.invalidKey, "EC coordinates") }
    let handle = try ECPoint.makeKey(curve: curve, x: x, y: y)
    self.init(.ec(curve), .ec(curve: curve, x: x, y: y), handle)
  }

  /// For Ed25519, `bytes` is the canonical encoding of a point on the curve, not of small order.
  package init(_ type: RawKeyType, _ bytes: [UInt8]) throws(CryptoError) {
    let (name, count) = (type.properties.name, type.properties.publicByteCount)
    let isValid = type == .ed25519 ? try Ed25519Point.isAcceptable(bytes) : bytes.count == count
    guard isValid else { throw CryptoError(.invalidKey, "raw key") }
    ErrorQueue.clear()
    guard let key = unsafe EVP_PKEY_new_raw_public_key_ex(nil, name, nil, bytes, count) else {
      throw .library("EVP_PKEY_new_raw_public_key_ex", code: .invalidKey)
    }
    self.init(.raw(type), .raw(type, bytes), unsafe KeyHandle(owning: key))
  }

  /// `signature` is in JOSE format: as long as the modulus for RSA (RFC 8017 section 8.2.2), fixed-width R and S for
  /// ECDSA (RFC 7518 section 3.4). Other lengths are invalid. Throws `unsupportedAlgorithm` if the algorithm does not
  /// match the key.
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

/// A public key's numbers, as in JSON Web Keys (RFC 7518 section 6, RFC 8037 section 2).
package enum PublicComponents: Sendable, Hashable {
  /// Big-endian, without leading zeros.
  case rsa(modulus: [UInt8], exponent: [UInt8])
  /// Big-endian, as long as the curve's field.
  case ec(curve: Curve, x: [UInt8], y: [UInt8])
  /// The type's standard encoding, such as that of RFC 8032 section 5.1.2.
  case raw(RawKeyType, [UInt8])
}

/// A copyable reference to a public key.
package final class SharedPublicKey: Sendable {
  package let key: PublicKey

  package init(_ key: consuming PublicKey) {
    self.key = key
  }
}
