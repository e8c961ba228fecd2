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
    Array(utf8).span.hasPart(part)
  }
}

extension Span<UInt8> {
  /// Whether the bytes of a text, which is not empty, stand somewhere among these.
  package func hasPart(_ part: String) -> Bool {
    let wanted = Array(part.utf8)
    guard count >= wanted.count else { return false }
    return (0...(count - wanted.count)).contains { start in
      wanted.indices.allSatisfy { self[start + $0] == wanted[$0] }
    }
  }
}
