internal import COpenSSL

extension PrivateKey {
  /// Generates an RSA key of 2048 to 8192 bits with the exponent 65,537. May take a second.
  package static func generateRSA(bits: Int) throws(CryptoError) -> PrivateKey {
    guard RSANumbers.bits.contains(bits) else { throw CryptoError(.invalidLength, "RSA key") }
    let context = try generator("RSA")
    try check(unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context.raw, Int32(bits)), "EVP_PKEY_CTX_set_rsa_keygen_bits")
    return try generate(context)
  }

  package static func generateEC(_ curve: Curve) throws(CryptoError) -> PrivateKey {
    let context = try generator("EC")
    try check(
      unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context.raw, curve.groupNumber),
      "EVP_PKEY_CTX_set_ec_paramgen_curve_nid")
    return try generate(context)
  }

  package static func generate(_ type: RawKeyType) throws(CryptoError) -> PrivateKey {
    try generate(try generator(type.properties.name))
  }

  /// The key for a 32-byte seed (RFC 8032 section 5.1.5).
  package init(ed25519Seed seed: borrowing SecretBytes) throws(CryptoError) {
    guard seed.count == 32 else { throw CryptoError(.invalidKey, "Ed25519 seed") }
    ErrorQueue.clear()
    let key = unsafe seed.withBytes { seed in
      unsafe seed.withUnsafeBufferPointer { seed in
        unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed.baseAddress, seed.count)
      }
    }
    guard let key = unsafe key else { throw .library("EVP_PKEY_new_raw_private_key", code: .invalidKey) }
    try self.init(unsafe KeyHandle(owning: key))
  }

  /// `type` is libcrypto's name for a key type.
  private static func generator(_ type: String) throws(CryptoError) -> KeyContext {
    ErrorQueue.clear()
    let context = try KeyContext(newKeyNamed: type)
    try check(unsafe EVP_PKEY_keygen_init(context.raw), "EVP_PKEY_keygen_init")
    return context
  }

  private static func generate(_ context: borrowing KeyContext) throws(CryptoError) -> PrivateKey {
    var key: OpaquePointer?
    try check(unsafe EVP_PKEY_generate(context.raw, &key), "EVP_PKEY_generate")
    guard let key = unsafe key else { throw CryptoError(.libraryFailure, "EVP_PKEY_generate") }
    return try PrivateKey(unsafe KeyHandle(owning: key))
  }
}

extension KeyHandle {
  borrowing func publicComponents() throws(CryptoError) -> PublicComponents {
    switch unsafe EVP_PKEY_get_base_id(raw) {
    case EVP_PKEY_RSA:
      return .rsa(modulus: try number(OSSL_PKEY_PARAM_RSA_N), exponent: try number(OSSL_PKEY_PARAM_RSA_E))
    case EVP_PKEY_EC:
      let curve = try curve()
      let width = curve.coordinateByteCount
      return .ec(
        curve: curve,
        x: try number(OSSL_PKEY_PARAM_EC_PUB_X, width: width), y: try number(OSSL_PKEY_PARAM_EC_PUB_Y, width: width))
    default:
      for type in RawKeyType.allCases where unsafe EVP_PKEY_is_a(raw, type.properties.name) == 1 {
        var bytes = [UInt8](repeating: 0, count: type.properties.publicByteCount)
        var count = bytes.count
        try check(unsafe EVP_PKEY_get_raw_public_key(raw, &bytes, &count), "EVP_PKEY_get_raw_public_key")
        guard count == bytes.count else { throw CryptoError(.invalidKey, "raw key") }
        return .raw(type, bytes)
      }
      throw CryptoError(.unsupportedAlgorithm, "key type")
    }
  }

  private borrowing func curve() throws(CryptoError) -> Curve {
    var name = [CChar](repeating: 0, count: 64)
    var count = 0
    try check(unsafe EVP_PKEY_get_group_name(raw, &name, name.count, &count), "EVP_PKEY_get_group_name")
    let text = name.prefix(count).map { UInt8(bitPattern: $0) }
    for curve in Curve.allCases where curve.groupName.utf8.elementsEqual(text) { return curve }
    throw CryptoError(.unsupportedAlgorithm, "curve")
  }
}
