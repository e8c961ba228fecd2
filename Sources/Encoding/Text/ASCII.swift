/// The classes of ASCII characters that names and tokens are made of.
extension UInt8 {
  package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  package var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }
}

extension StringProtocol {
  /// Whether the bytes of a text, which is not empty, stand somewhere in this one. `contains` of a text would bring regular
  /// expressions into the program.
  package func hasPart(_ part: String) -> Bool {
    let (bytes, wanted) = (Array(utf8), Array(part.utf8))
    guard bytes.count >= wanted.count else { return false }
    return (0...(bytes.count - wanted.count)).contains { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
  }
}
