import Testing
@testable import Vocabulary

@Suite struct `Account names` {
  @Test(arguments: ["a", "Z", "0", "_", "_.-", "work", "me.at-work_2", "9-9", String(repeating: "x", count: 64)])
  func `a name of allowed characters is kept as it is`(text: String) throws {
    #expect(try AccountName(text).text == text)
  }

  @Test func `any other name is refused`() {
    let names = [
      "", ".", "..", ".a", "-a", "a b", "a/b", "a\0", "a\n", "\u{E4}", "e\u{301}", "a:b", "a\u{7F}", "a@b",
      String(repeating: "x", count: 65),
    ]
    for name in names {
      #expect(throws: AccountName.Invalid()) { try AccountName(name) }
    }
  }

  @Test func `names are in byte order`() throws {
    let names = try ["b", "a", "B", "a.", "_", "0"].map { try AccountName($0) }
    #expect(names.sorted().map(\.text) == ["0", "B", "_", "a", "a.", "b"])
  }
}
