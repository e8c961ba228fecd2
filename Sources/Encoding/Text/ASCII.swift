extension UInt8 {
  package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  package var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  package var isASCIIAlphanumeric: Bool { isASCIILetter || isASCIIDigit }

  /// VCHAR (RFC 5234 appendix B.1).
  package var isVisibleASCII: Bool { (0x21...0x7E).contains(self) }

  /// VSCHAR (RFC 6749 appendix A).
  package var isPrintableASCII: Bool { (0x20...0x7E).contains(self) }

  /// NQCHAR: VCHAR except `"` and `\` (RFC 6749 appendix A).
  package var isUnquotedASCII: Bool { isVisibleASCII && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\") }

  /// tchar (RFC 9110 section 5.6.2).
  package var isTokenCharacter: Bool { isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension StringProtocol {
  /// Whether the bytes contain `part`, which must not be empty. The standard `contains` would link regular expressions.
  package func hasPart(_ part: String) -> Bool {
    Array(utf8).span.hasPart(part)
  }
}

extension Span<UInt8> {
  /// - Parameter part: Not empty.
  package func hasPart(_ part: String) -> Bool {
    let wanted = Array(part.utf8)
    guard count >= wanted.count else { return false }
    return (0...(count - wanted.count)).contains { start in
      wanted.indices.allSatisfy { self[start + $0] == wanted[$0] }
    }
  }
}

extension BidirectionalCollection<UInt8> {
  /// Drops bytes at both ends, by default spaces and tabs.
  package func trimming(_ isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }) -> SubSequence {
    let rest = drop(while: isBlank)
    return rest[..<(rest.lastIndex { !isBlank($0) }.map(rest.index(after:)) ?? rest.startIndex)]
  }
}
