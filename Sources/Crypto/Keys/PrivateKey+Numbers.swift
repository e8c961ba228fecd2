extension PrivateKey {
  /// An RSA key's private numbers, big-endian: d, p, q, dp, dq and qi (RFC 7518 section 6.3.2).
  package struct RSASecrets: ~Copyable {
    package var exponent: SecretBytes
    package var firstPrime: SecretBytes
    package var secondPrime: SecretBytes
    package var firstExponent: SecretBytes
    package var secondExponent: SecretBytes
    package var coefficient: SecretBytes

    package init(
      exponent: consuming SecretBytes, firstPrime: consuming SecretBytes, secondPrime: consuming SecretBytes,
      firstExponent: consuming SecretBytes, secondExponent: consuming SecretBytes, coefficient: consuming SecretBytes
    ) {
      self.exponent = exponent
      self.firstPrime = firstPrime
      self.secondPrime = secondPrime
      self.firstExponent = firstExponent
      self.secondExponent = secondExponent
      self.coefficient = coefficient
    }
  }

  /// Checks only the public numbers. ``isConsistent()`` checks the rest.
  package init(
    rsaModulus modulus: [UInt8], exponent: [UInt8], _ secrets: consuming RSASecrets
  ) throws(CryptoError) {
    try PublicKey.checkRSA(modulus: modulus, exponent: exponent)
    let zero: [UInt8] = [0]
    let sizes = [
      DERWriter.integerSize(zero.span), DERWriter.integerSize(modulus.span), DERWriter.integerSize(exponent.span),
      DERWriter.integerSize(secrets.exponent), DERWriter.integerSize(secrets.firstPrime),
      DERWriter.integerSize(secrets.secondPrime), DERWriter.integerSize(secrets.firstExponent),
      DERWriter.integerSize(secrets.secondExponent), DERWriter.integerSize(secrets.coefficient),
    ]
    // RSAPrivateKey (RFC 8017 appendix A.1.2).
    var writer = DERWriter()
    writer.appendHeader(0x30, sizes.reduce(0) { $0 + DERWriter.size($1) })
    writer.appendInteger(zero.span)
    writer.appendInteger(modulus.span)
    writer.appendInteger(exponent.span)
    secrets.exponent.withBytes { writer.appendInteger($0) }
    secrets.firstPrime.withBytes { writer.appendInteger($0) }
    secrets.secondPrime.withBytes { writer.appendInteger($0) }
    secrets.firstExponent.withBytes { writer.appendInteger($0) }
    secrets.secondExponent.withBytes { writer.appendInteger($0) }
    secrets.coefficient.withBytes { writer.appendInteger($0) }
    try self.init(writer)
  }

  /// An ECDSA key (RFC 7518 section 6.2.2). The numbers are as long as the curve's field.
  package init(curve: Curve, x: [UInt8], y: [UInt8], secret: borrowing SecretBytes) throws(CryptoError) {
    let width = curve.coordinateByteCount
    guard x.count == width, y.count == width, secret.count == width else {
      throw CryptoError(.invalidKey, "EC key")
    }
    let (name, point) = (curve.objectIdentifier, [0, 4] + x + y)
    let parts = [
      DERWriter.size(1), DERWriter.size(width), DERWriter.size(name.count),
      DERWriter.size(DERWriter.size(point.count)),
    ]
    // ECPrivateKey (RFC 5915 section 3).
    let one: [UInt8] = [1]
    var writer = DERWriter()
    writer.appendHeader(0x30, parts.reduce(0, +))
    writer.appendInteger(one.span)
    writer.appendHeader(0x04, width)
    secret.withBytes { writer.append($0) }
    writer.appendHeader(0xA0, name.count)
    writer.append(name.span)
    writer.appendHeader(0xA1, DERWriter.size(point.count))
    writer.appendHeader(0x03, point.count)
    writer.append(point.span)
    try self.init(writer)
  }

  private init(_ writer: consuming DERWriter) throws(CryptoError) {
    let structure = try writer.finish()
    self = try structure.withBytes { (bytes) throws(CryptoError) in try PrivateKey(serialized: bytes) }
  }
}

extension Curve {
  /// In DER (RFC 5480 section 2.1.1.1).
  fileprivate var objectIdentifier: [UInt8] {
    switch self {
    case .p256: [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    case .p384: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
    case .p521: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
    }
  }
}
