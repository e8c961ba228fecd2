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
