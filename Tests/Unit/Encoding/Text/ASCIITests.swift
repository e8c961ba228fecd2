import Encoding
import Testing

@Suite struct `A part of a text` {
  @Test(arguments: [
    ("secret", "secret", true), ("the secret is", "secret", true), ("secret", "secrets", false), ("", "a", false),
    ("secre secre t", "secret", false), ("aab", "ab", true), ("e\u{301}", "\u{E9}", false),
  ]) func `is found by its bytes`(text: String, part: String, isFound: Bool) {
    #expect(text.hasPart(part) == isFound)
  }
}

@Suite struct `The classes of ASCII characters` {
  @Test(arguments: UInt8.min...UInt8.max) func `are those of the RFCs`(byte: UInt8) {
    #expect(byte.isVisibleASCII == (byte > 0x20 && byte < 0x7F))
    #expect(byte.isPrintableASCII == (byte >= 0x20 && byte < 0x7F))
    #expect(byte.isUnquotedASCII == (byte == 0x21 || (0x23...0x5B).contains(byte) || (0x5D...0x7E).contains(byte)))
    let isSeparator = "\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
    #expect(byte.isTokenCharacter == (byte > 0x20 && byte < 0x7F && !isSeparator))
  }
}
