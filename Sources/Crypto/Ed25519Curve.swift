internal import COpenSSL

/// The curve of Ed25519 (RFC 8032 section 5.1). The library takes any 32 bytes for a key, and its own check of a key
/// looks at nothing but their presence; what lies beside the curve only shows when no signature ever fits.
enum Ed25519Curve {
  /// Whether the curve has points with this coordinate y, little-endian and below 2^255 - 19.
  ///
  /// They are there when x^2 = (y^2 - 1) / (d y^2 + 1) has a root (section 5.1.3), where d is -121665 / 121666. The
  /// product of two numbers is a square exactly when their quotient is, and -1 is one in this field; so a fraction
  /// and a sign can be left out of the reckoning.
  ///
  /// - Throws: `libraryFailure` for want of memory.
  static func hasPoint(y: [UInt8]) throws(CryptoError) -> Bool {
    ErrorQueue.clear()
    guard let context = unsafe BN_CTX_new() else { throw .library("BN_CTX_new") }
    defer { unsafe BN_CTX_free(context) }
    unsafe BN_CTX_start(context)
    defer { unsafe BN_CTX_end(context) }
    guard let prime = unsafe BN_CTX_get(context), let square = unsafe BN_CTX_get(context),
      let left = unsafe BN_CTX_get(context), let right = unsafe BN_CTX_get(context),
      unsafe BN_set_bit(prime, 255) == 1, unsafe BN_sub_word(prime, 19) == 1,
      unsafe y.withUnsafeBufferPointer({ unsafe BN_lebin2bn($0.baseAddress, Int32($0.count), square) }) != nil,
      unsafe BN_mod_sqr(square, square, prime, context) == 1,
      // 121666 (y^2 - 1)
      unsafe BN_copy(left, square) != nil, unsafe BN_sub_word(left, 1) == 1, unsafe BN_mul_word(left, 121_666) == 1,
      // 121665 y^2 - 121666
      unsafe BN_copy(right, square) != nil, unsafe BN_mul_word(right, 121_665) == 1,
      unsafe BN_sub_word(right, 121_666) == 1,
      unsafe BN_mod_mul(left, left, right, prime, context) == 1
    else { throw .library("BN_mod_mul") }
    // 1 for a square, 0 for zero, -1 for neither, -2 for an error.
    let symbol = unsafe BN_kronecker(left, prime, context)
    guard symbol >= -1 else { throw .library("BN_kronecker") }
    return symbol >= 0
  }
}
