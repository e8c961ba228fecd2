internal import COpenSSL

/// Rejects invalid Ed25519 public keys that libcrypto accepts. RFC 8032 section 5.1.3 forbids y >= 2^255 - 19, and y
/// without a point on the curve. With a point of small order, one signature is valid for many messages.
enum Ed25519Point {
  /// Whether the encoding is canonical, and its point on the curve and not of small order.
  static func isAcceptable(_ encoding: [UInt8]) throws(CryptoError) -> Bool {
    guard encoding.count == 32 else { return false }
    var y = encoding
    y[31] &= 0x7f
    guard isBelowPrime(y), !smallOrder.contains(y) else { return false }
    return try Ed25519Curve.hasPoint(y: y)
  }

  private static func isBelowPrime(_ y: [UInt8]) -> Bool {
    y[31] < 0x7f || y[1..<31].contains { $0 != 0xff } || y[0] < 0xed
  }

  /// The y coordinates of the eight points of small order: 1, -1, 0, and two for the points of order eight.
  private static let smallOrder: [[UInt8]] = [
    [1] + [UInt8](repeating: 0, count: 31),
    [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
    [UInt8](repeating: 0, count: 32),
    [
      0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
      0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
      0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
      0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
  ]
}

/// RFC 8032 section 5.1.
enum Ed25519Curve {
  /// `y` is little-endian and below 2^255 - 19. A point exists if x^2 = (y^2 - 1) / (d y^2 + 1) has a root (section
  /// 5.1.3), with d = -121665 / 121666. A product is a square exactly if the quotient is, and -1 is a square in this
  /// field, so neither the division nor the sign is needed.
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
