import Testing

@testable import devissuer

@Suite struct `User codes` {
  @Test func `a code is eight consonants in two groups`() throws {
    for _ in 0..<100 {
      let text = Array(try UserCode.random().text.utf8)
      #expect(text.count == 9 && text[4] == UInt8(ascii: "-"))
      #expect(text.filter { "BCDFGHJKLMNPQRSTVWXZ".utf8.contains($0) }.count == 8)
    }
  }

  @Test func `codes differ`() throws {
    let codes = Set(try (0..<1000).map { _ in try UserCode.random() })
    #expect(codes.count == 1000)
  }

  // RFC 8628 section 6.1
  @Test(arguments: ["BCDF-GHJK", "bcdfghjk", " b c d f - g h j k ", "BCDF--GHJK"])
  func `case and punctuation do not matter`(typed: String) {
    #expect(UserCode(typed: typed)?.text == "BCDF-GHJK")
  }

  @Test(arguments: ["", "BCDF-GHJ", "BCDF-GHJKL", "ACDF-GHJK", "BCDF_GHJK", "BCDF-GHJ\u{212A}", "BCDF-GHJ\u{301}"])
  func `other text is no code`(typed: String) {
    #expect(UserCode(typed: typed) == nil)
  }
}
