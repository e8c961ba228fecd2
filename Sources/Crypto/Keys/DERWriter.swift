/// Writes the ASN.1 values of a private key (X.690) on the secure heap.
struct DERWriter: ~Copyable {
  private var buffer = SecretBuffer(capacity: 2048, limit: 16_384)

  /// A value's size including tag and length.
  static func size(_ contentLength: Int) -> Int { 1 + lengthBytes(contentLength).count + contentLength }

  /// An INTEGER's content length. Omits leading zeros, except one that keeps the number positive.
  static func integerSize(_ number: Span<UInt8>) -> Int {
    let start = firstNonzeroIndex(number)
    guard start < number.count else { return 1 }
    return number.count - start + (number[start] >= 0x80 ? 1 : 0)
  }

  static func integerSize(_ number: borrowing SecretBytes) -> Int { number.withBytes { integerSize($0) } }

  mutating func appendHeader(_ tag: UInt8, _ contentLength: Int) {
    buffer.append(tag)
    for byte in Self.lengthBytes(contentLength) { buffer.append(byte) }
  }

  mutating func appendInteger(_ number: Span<UInt8>) {
    appendHeader(0x02, Self.integerSize(number))
    let start = Self.firstNonzeroIndex(number)
    if start == number.count || number[start] >= 0x80 { buffer.append(0) }
    for index in start..<number.count { buffer.append(number[index]) }
  }

  mutating func append(_ bytes: Span<UInt8>) { buffer.append(contentsOf: bytes) }

  consuming func finish() throws(CryptoError) -> SecretBytes { try buffer.finish() }

  private static func firstNonzeroIndex(_ number: Span<UInt8>) -> Int {
    var start = 0
    while start < number.count, number[start] == 0 { start += 1 }
    return start
  }

  private static func lengthBytes(_ count: Int) -> [UInt8] {
    if count < 0x80 { return [UInt8(count)] }
    if count < 0x100 { return [0x81, UInt8(count)] }
    return [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
  }
}
