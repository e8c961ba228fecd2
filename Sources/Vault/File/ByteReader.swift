/// Reads a file's fields in order. Throws `damaged` for an incomplete one.
struct ByteReader {
  private let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func readBytes(_ count: Int) throws(VaultError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= bytes.count - offset else { throw VaultError(.damaged) }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// Reads a big-endian integer.
  mutating func readInteger<Value: FixedWidthInteger & UnsignedInteger>(
    _ type: Value.Type = Value.self
  ) throws(VaultError) -> Value {
    try readBytes(Value.bitWidth / 8).reduce(0) { $0 << 8 | Value($1) }
  }

  var consumed: ArraySlice<UInt8> { bytes[..<offset] }
}

extension [UInt8] {
  mutating func append(bigEndian value: some FixedWidthInteger & UnsignedInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
