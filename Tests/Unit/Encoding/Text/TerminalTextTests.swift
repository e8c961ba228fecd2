import Encoding
import Testing

@Suite struct `Text for the terminal` {
  private func scalars(_ range: ClosedRange<UInt32>) -> String {
    String(String.UnicodeScalarView(range.compactMap { Unicode.Scalar($0) }))
  }

  @Test func `ordinary text stays as it is`() {
    for text in ["", "Access denied.", "Zugriff verweigert: größer", "アクセス拒否", "a\u{A0}b", "e\u{301}", "😀 – “x”"] {
      #expect(isSame(TerminalText.clean(text), text))
    }
  }

  @Test func `an escape sequence loses what makes it one`() {
    #expect(TerminalText.clean("\u{1B}[31mred\u{1B}[0m") == "[31mred[0m")
    #expect(TerminalText.clean("\u{9B}2Jx\u{9D}0;title\u{07}") == "2Jx0;title")
    #expect(TerminalText.clean("\u{1B}]8;;https://evil.example\u{1B}\\x") == "]8;;https://evil.example\\x")
  }

  @Test func `invisible characters are dropped`() {
    let dropped: [ClosedRange<UInt32>] = [
      0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x180E...0x180E, 0x200B...0x200F,
      0x2028...0x202E, 0x2060...0x206F, 0x3164...0x3164, 0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFF9...0xFFFB,
      0xE0001...0xE0001, 0xE0020...0xE007F, 0xE0100...0xE01EF,
    ]
    for range in dropped {
      for value in range {
        let text = "a" + scalars(value...value) + "b"
        #expect(isSame(TerminalText.clean(text), "ab"), "U+\(String(value, radix: 16))")
      }
    }
  }

  @Test func `every line break is dropped, so the text stays on one line`() {
    #expect(isSame(TerminalText.clean("a\r\nb\u{85}c\u{2028}d\u{2029}e\u{0B}f\u{0C}g\th"), "abcdefgh"))
  }

  @Test func `visible ASCII is kept whole`() {
    let all = scalars(0x20...0x7E)
    #expect(TerminalText.clean(all) == all)
  }

  @Test func `a long text is cut with an ellipsis`() {
    let long = String(repeating: "x", count: 201)
    #expect(TerminalText.clean(String(long.dropLast())) == String(long.dropLast()))
    #expect(TerminalText.clean(long) == String(long.dropLast()) + "…")
    #expect(TerminalText.clean("abcdef", limit: 3) == "abc…")
    #expect(TerminalText.clean("abc\u{1B}\u{200B}", limit: 3) == "abc")
    #expect(TerminalText.clean("a", limit: 0) == "…")
    #expect(TerminalText.clean("", limit: 0) == "")
  }

  @Test func `marks piled on one letter count towards the limit`() {
    let pile = "a" + String(repeating: "\u{301}", count: 1000)
    #expect(TerminalText.clean(pile, limit: 10).unicodeScalars.count == 11)
  }

  @Test(arguments: [
    ("ghp_abcdefghij1234567890", "ghp_…"), ("work", "work"), ("a-long-name-of-an-account", "a-long-name-of-an-account"),
    ("production-2.example.com", "production-2.example.com"),
  ]) func `shortens a word that may be a token`(word: String, shown: String) {
    #expect(TerminalText.word(word) == shown)
  }
}
