/// Encodings of Ed25519 public keys that the library takes and we do not.
///
/// RFC 8032 section 5.1.3 makes a decoder refuse y values of 2^255 - 19 and more, and those that no point of the
/// curve has. A point of small order lets one signature fit many messages.
enum Ed25519Point {
  /// Whether the encoding is the canonical one of a point of the curve that is not of small order.
  ///
  /// - Throws: `libraryFailure` for want of memory.
  static func isAcceptable(_ encoding: [UInt8]) throws(CryptoError) -> Bool {
    guard encoding.count == 32 else { return false }
    var y = encoding
    y[31] &= 0x7f
    guard isBelowPrime(y), !smallOrder.contains(y) else { return false }
    return try Ed25519Curve.hasPoint(y: y)
  }

  /// Whether the little-endian number is below 2^255 - 19.
  private static func isBelowPrime(_ y: [UInt8]) -> Bool {
    y[31] < 0x7f || y[1..<31].contains { $0 != 0xff } || y[0] < 0xed
  }

  /// The y coordinates of the eight points of small order: 1 and -1, 0, and the two of order eight. The
  /// sign of x makes no difference, and the encodings of y = 1 and y = -1 with a sign are not canonical.
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
