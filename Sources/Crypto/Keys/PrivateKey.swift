internal import COpenSSL

/// A signing key. Its private numbers stay in libcrypto, on the secure heap, or in a device.
package struct PrivateKey: ~Copyable, Sendable {
  package let kind: PublicKey.Kind
  package let publicComponents: PublicComponents
  /// The key pair, or the public half of a device key.
  let handle: KeyHandle
  /// Nil for a key in libcrypto.
  let deviceKey: DeviceKey?

  init(_ handle: consuming KeyHandle) throws(CryptoError) {
    let components = try handle.publicComponents()
    let key = try PublicKey(components)
    kind = key.kind
    publicComponents = components
    self.handle = handle
    deviceKey = nil
  }

  init(_ deviceKey: DeviceKey) throws(CryptoError) {
    guard case .ec(let curve, let x, let y) = deviceKey.key.publicComponents else {
      throw CryptoError(.unsupportedAlgorithm, "held key")
    }
    handle = try ECPoint.makeKey(curve: curve, x: x, y: y)
    kind = .ec(curve)
    publicComponents = deviceKey.key.publicComponents
    self.deviceKey = deviceKey
  }

  borrowing func copy() throws(CryptoError) -> PrivateKey {
    if let deviceKey { return try PrivateKey(deviceKey) }
    return try PrivateKey(try handle.copy())
  }

  package borrowing func publicKey() throws(CryptoError) -> PublicKey {
    try PublicKey(publicComponents)
  }

  /// Returns the signature in JOSE format, for ``PublicKey/verify(_:signature:message:)``. Throws
  /// `unsupportedAlgorithm` if the algorithm does not match the key; as ``KeyDevice/sign(digest:with:)`` for a device
  /// key.
  package borrowing func sign(
    _ algorithm: SignatureAlgorithm, message: Span<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    guard algorithm.fits(kind) else { throw CryptoError(.unsupportedAlgorithm, "sign") }
    if let deviceKey { return try deviceKey.sign(algorithm, message) }
    ErrorQueue.clear()
    // DER adds up to 9 bytes to an ECDSA signature.
    let signature = try SignatureContext.begin(.signing, algorithm, with: handle).sign(
      message, limit: kind.signatureByteCount + 16)
    guard case .ecdsa(let curve, _) = algorithm else { return signature }
    return try ECDSASignature.decodeDER(signature, curve: curve)
  }

  /// PKCS #8 (RFC 5208). Throws `unsupportedAlgorithm` for a device key.
  package borrowing func serialized() throws(CryptoError) -> SecretBytes {
    guard deviceKey == nil else { throw CryptoError(.unsupportedAlgorithm, "serialize") }
    ErrorQueue.clear()
    guard let structure = unsafe EVP_PKEY2PKCS8(handle.raw) else { throw .library("EVP_PKEY2PKCS8") }
    defer { unsafe PKCS8_PRIV_KEY_INFO_free(structure) }
    let count = unsafe i2d_PKCS8_PRIV_KEY_INFO(structure, nil)
    guard count > 0 else { throw .library("i2d_PKCS8_PRIV_KEY_INFO") }
    var secret = try SecretBytes(zeroed: Int(count))
    let written = secret.withMutableBytes { bytes in
      unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        var end = buffer.baseAddress
        return unsafe i2d_PKCS8_PRIV_KEY_INFO(structure, &end)
      }
    }
    guard written == count else { throw .library("i2d_PKCS8_PRIV_KEY_INFO") }
    return secret
  }

  /// Parses PKCS #8 or another DER format, at most 16,384 bytes, without trailing bytes. Throws `invalidKey`.
  package init(serialized bytes: Span<UInt8>) throws(CryptoError) {
    guard (1...16_384).contains(bytes.count) else { throw CryptoError(.invalidKey, "private key") }
    ErrorQueue.clear()
    var consumed = 0
    let key = unsafe bytes.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      let key = unsafe d2i_AutoPrivateKey(nil, &position, buffer.count)
      if let start = buffer.baseAddress, let position = unsafe position { consumed = unsafe position - start }
      return unsafe key
    }
    guard let key = unsafe key else { throw .library("d2i_AutoPrivateKey", code: .invalidKey) }
    let handle = unsafe KeyHandle(owning: key)
    guard consumed == bytes.count else { throw CryptoError(.invalidKey, "private key") }
    try self.init(handle)
  }
}
