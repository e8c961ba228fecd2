/// Classes of ASCII characters that the protocols name.
enum ASCII {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let colon: UInt8 = 0x3A

  /// Space and the visible characters.
  static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

  /// VCHAR of RFC 5234.
  static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x41...0x46).contains(byte & 0xDF)
  }

  static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

  /// A character of a token (RFC 9110 section 5.6.2).
  static func isToken(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  /// The bytes as a string when every one of them is allowed. Only ASCII classes are passed here,
  /// so that `==` on the result compares bytes.
  static func text(_ bytes: ArraySlice<UInt8>, allowing allowed: (UInt8) -> Bool) -> String? {
    guard bytes.allSatisfy({ $0 < 0x80 && allowed($0) }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text without spaces and tabs at both ends.
  static func trimmed(_ text: Substring) -> String {
    var rest = text
    while let first = rest.utf8.first, first == space || first == tab { rest.removeFirst() }
    while let last = rest.utf8.last, last == space || last == tab { rest.removeLast() }
    return String(rest)
  }

  /// A number in plain decimal digits within the range; nil for anything else.
  static func number(_ text: String, in range: ClosedRange<Int>) -> Int? {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy(isDigit),
      let value = Int(text), range.contains(value)
    else { return nil }
    return value
  }
}
