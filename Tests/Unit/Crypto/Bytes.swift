import Crypto

/// The bytes of a hexadecimal literal; spaces and line breaks are ignored.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] {
  [UInt8](repeating: byte, count: count)
}

func utf8(_ text: String) -> [UInt8] {
  Array(text.utf8)
}

func flipping(_ bytes: [UInt8], at index: Int, bit: Int = 0) -> [UInt8] {
  var copy = bytes
  copy[index] ^= 1 << bit
  return copy
}

/// A plain copy of a secret.
func revealed(_ secret: borrowing SecretBytes) -> [UInt8] {
  secret.withBytes { bytes in bytes.indices.map { bytes[$0] } }
}

func secret(_ bytes: [UInt8]) throws(CryptoError) -> SecretBytes {
  try SecretBytes(copying: bytes.span)
}
