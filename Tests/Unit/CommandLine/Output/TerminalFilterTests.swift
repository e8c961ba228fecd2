import Testing

@testable import CommandLine

@Suite struct `A body on a terminal` {
  private func shown(_ bytes: [UInt8], by size: Int) -> [UInt8] {
    var filter = TerminalFilter()
    return stride(from: 0, to: bytes.count, by: size).flatMap {
      filter.filter(bytes[$0..<min($0 + size, bytes.count)].span)
    }
  }

  @Test(
    arguments: [
      ("a\tb\nc", "a\tb\nc"), ("\u{1B}[31mred\u{1B}]0;title\u{7}", "[31mred]0;title"), ("a\r\nb\r", "a\nb"),
      ("\0\u{8}\u{7F}x", "x"), ("\u{9B}2J\u{80}\u{9F}", "2J"), ("é€😀\u{A0}", "é€😀\u{A0}"),
      ("a\u{202E}b\u{2066}c\u{200F}", "abc"),
    ], [1, 2, 3, 100])
  func `loses what a terminal acts on, however it is cut`(text: (String, String), size: Int) {
    #expect(shown(Array(text.0.utf8), by: size) == Array(text.1.utf8))
  }

  @Test(arguments: [1, 2, 100]) func `loses controls among bytes that are not UTF-8`(size: Int) {
    #expect(
      shown([0x61, 0x9B, 0xE9, 0x62, 0xC2, 0x1B, 0xFF, 0x84, 0x63], by: size) == [0x61, 0xE9, 0x62, 0xC2, 0xFF, 0x63])
  }
}
