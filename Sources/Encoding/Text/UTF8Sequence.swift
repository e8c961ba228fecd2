/// Finds characters of well-formed UTF-8 (RFC 3629 section 4).
enum UTF8Sequence {
  enum Finding {
    /// A well-formed character of two to four bytes.
    case length(Int)
    /// The text ends inside a character well-formed so far.
    case cutOff
    /// A stray byte, overlong form, surrogate, or value beyond U+10FFFF.
    case malformed
  }

  /// Parses the character whose first byte, 0x80 or more, is at `start`.
  static func find(in bytes: Span<UInt8>, at start: Int) -> Finding {
    let length: Int
    var low: UInt8 = 0x80
    var high: UInt8 = 0xBF
    switch bytes[start] {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, low) = (3, 0xA0)
    case 0xED: (length, high) = (3, 0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, low) = (4, 0x90)
    case 0xF4: (length, high) = (4, 0x8F)
    case 0xF1...0xF3: length = 4
    default: return .malformed
    }
    for index in (start + 1)..<(start + length) {
      guard index < bytes.count else { return .cutOff }
      guard bytes[index] >= low, bytes[index] <= high else { return .malformed }
      (low, high) = (0x80, 0xBF)
    }
    return .length(length)
  }
}
