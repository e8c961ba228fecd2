package enum HexDigit {
  /// The value of a digit of either case, otherwise nil.
  package static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// `0` to `9` or `a` to `f`.
  package static func isLower(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Encodes each byte as two lowercase digits.
  package static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [lower($0 >> 4), lower($0)] }, as: UTF8.self)
  }

  /// The digit for the low four bits.
  package static func upper(_ value: UInt8) -> UInt8 {
    let digit = value & 15
    return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + (digit - 10)
  }

  /// The digit for the low four bits.
  package static func lower(_ value: UInt8) -> UInt8 {
    let digit = value & 15
    return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + (digit - 10)
  }
}
