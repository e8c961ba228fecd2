/// Reads the fields of a file in order. A field that is not there in full is `damaged`.
struct ByteReader {
  private let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { offset == bytes.count }

  /// The next `count` bytes, sharing the storage of the whole.
  mutating func take(_ count: Int) throws(VaultError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= bytes.count - offset else { throw VaultError(.damaged) }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// The next big-endian integer, as wide as its type.
  mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(
    _ type: Value.Type = Value.self
  ) throws(VaultError) -> Value {
    try take(Value.bitWidth / 8).reduce(0) { $0 << 8 | Value($1) }
  }

  /// The bytes read so far.
  var consumed: ArraySlice<UInt8> { bytes[..<offset] }
}

extension [UInt8] {
  /// Writes an integer in big-endian order, as wide as its type.
  mutating func append(bigEndian value: some FixedWidthInteger & UnsignedInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
