internal import COpenSSL

/// A libcrypto key object. Immutable, so threads may share it.
@safe struct KeyHandle: ~Copyable, @unchecked Sendable {
  let raw: OpaquePointer

  init(owning key: OpaquePointer) {
    unsafe raw = key
  }

  deinit {
    unsafe EVP_PKEY_free(raw)
  }

  borrowing func copy() throws(CryptoError) -> KeyHandle {
    try check(unsafe EVP_PKEY_up_ref(raw), "EVP_PKEY_up_ref")
    return unsafe KeyHandle(owning: raw)
  }

  /// libcrypto copies the parameters. The caller owns the key.
  static func makePublicKey(
    named type: String, _ parameters: UnsafeMutablePointer<OSSL_PARAM>?
  ) throws(CryptoError) -> OpaquePointer {
    let context = try KeyContext(newKeyNamed: type)
    try check(unsafe EVP_PKEY_fromdata_init(context.raw), "EVP_PKEY_fromdata_init")
    var key: OpaquePointer?
    let status = unsafe EVP_PKEY_fromdata(context.raw, &key, agent_selection_public_key(), parameters)
    guard status == 1, let key = unsafe key else { throw .library("EVP_PKEY_fromdata", code: .invalidKey) }
    return unsafe key
  }

  /// Checks that the point is on the curve and not infinity.
  borrowing func checkPublicPart() throws(CryptoError) {
    let context = try KeyContext(for: self)
    guard unsafe EVP_PKEY_public_check(context.raw) == 1 else {
      throw .library("EVP_PKEY_public_check", code: .invalidKey)
    }
  }

  /// A number of the key, big-endian: `width` bytes, or without leading zeros if nil.
  borrowing func number(_ name: String, width: Int? = nil) throws(CryptoError) -> [UInt8] {
    var number: OpaquePointer?
    guard unsafe EVP_PKEY_get_bn_param(raw, name, &number) == 1 else { throw .library("EVP_PKEY_get_bn_param") }
    defer { unsafe BN_clear_free(number) }
    let count = unsafe width ?? Int((BN_num_bits(number) + 7) / 8)
    var bytes = [UInt8](repeating: 0, count: count)
    guard unsafe BN_bn2binpad(number, &bytes, Int32(count)) == Int32(count) else { throw .library("BN_bn2binpad") }
    return bytes
  }
}
