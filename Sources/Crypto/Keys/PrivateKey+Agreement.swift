internal import COpenSSL

extension PrivateKey {
  /// Computes an ECDH shared secret on P-256 (NIST SP 800-56A section 5.7.1.2): 32 bytes, the x coordinate. Not
  /// uniformly random, so derive keys from it. Throws `unsupportedAlgorithm` unless both keys are on P-256,
  /// `invalidKey` for an invalid point.
  package borrowing func sharedSecret(with peer: PublicComponents) throws(CryptoError) -> SecretBytes {
    guard case .ec(.p256) = kind, case .ec(.p256, let x, let y) = peer else {
      throw CryptoError(.unsupportedAlgorithm, "ECDH")
    }
    let other = try ECPoint.makeKey(curve: .p256, x: x, y: y)
    ErrorQueue.clear()
    return try KeyContext(for: handle).sharedSecret(with: other)
  }
}

extension KeyContext {
  borrowing func sharedSecret(with peer: borrowing KeyHandle) throws(CryptoError) -> SecretBytes {
    try check(unsafe EVP_PKEY_derive_init(raw), "EVP_PKEY_derive_init")
    try check(unsafe EVP_PKEY_derive_set_peer(raw, peer.raw), "EVP_PKEY_derive_set_peer")
    let width = Curve.p256.coordinateByteCount
    var secret = try SecretBytes(zeroed: width)
    var length = width
    let status = secret.withMutableBytes { bytes in
      unsafe bytes.withUnsafeMutableBufferPointer { unsafe EVP_PKEY_derive(raw, $0.baseAddress, &length) }
    }
    try check(status, "EVP_PKEY_derive")
    guard length <= width else { throw CryptoError(.libraryFailure, "EVP_PKEY_derive") }
    // A TPM may omit leading zeros.
    if length < width { try secret.alignRight(length) }
    return secret
  }
}

extension SecretBytes {
  /// Moves the first `count` bytes to the end, after zeros.
  fileprivate mutating func alignRight(_ count: Int) throws(CryptoError) {
    let unaligned = try copy()
    let gap = self.count - count
    unaligned.withBytes { source in
      withMutableBytes { target in
        for index in target.indices { target[index] = index < gap ? 0 : source[index - gap] }
      }
    }
  }
}
