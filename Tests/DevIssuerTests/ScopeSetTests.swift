import Testing

@testable import devissuer

@Suite struct `Scopes` {
  @Test func `values are kept in order and once`() {
    #expect(ScopeSet("b a b")?.values == ["b", "a"])
    #expect(ScopeSet("b a b")?.text == "b a")
  }

  // RFC 6749 section 3.3
  @Test(arguments: ["", " ", "a  b", " a", "a ", "a\"b", "a\\b", "a\tb", "\u{e9}"])
  func `other forms are refused`(text: String) {
    #expect(ScopeSet(text) == nil)
  }

  @Test func `sixty-four values are taken and one more is refused`() {
    let values = (0..<65).map { "s\($0)" }
    #expect(ScopeSet(values.prefix(64).joined(separator: " ")) != nil)
    #expect(ScopeSet(values.joined(separator: " ")) == nil)
  }

  @Test func `a subset may come in any order`() throws {
    let wide = try #require(ScopeSet("a b c"))
    #expect(try #require(ScopeSet("c a")).isSubset(of: wide))
    #expect(try !#require(ScopeSet("a d")).isSubset(of: wide))
  }
}
