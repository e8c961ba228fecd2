import OAuth
import Testing

// RFC 6749 section 3.3.
@Suite struct `Scopes` {
  @Test func `values keep their order and lose duplicates`() throws {
    let scope = try Scope("openid  email openid profile")
    #expect(scope.values == ["openid", "email", "profile"])
    #expect(scope.text == "openid email profile")
  }

  @Test func `order does not matter and case does`() throws {
    #expect(try Scope("a b") == Scope("b a"))
    #expect(try Scope("a b").hashValue == Scope("b a").hashValue)
    #expect(try Scope("a") != Scope("A"))
    #expect(try Scope("a").isSubset(of: Scope("b a")))
    #expect(try !Scope("a c").isSubset(of: Scope("b a")))
    #expect(try Scope("a c").contains("c"))
    #expect(try !Scope("a c").contains("C"))
  }

  @Test func `a server may answer with an empty scope`() throws {
    #expect(try Scope("").isEmpty)
  }

  @Test(arguments: ["a\"b", "a\\b", "a\tb", "a\nb", "\u{e9}", "a\u{7f}"])
  func `a character outside the grammar is refused`(text: String) {
    #expect(throws: OAuthError(.invalidScope, .scope)) { try Scope(text) }
  }

  @Test func `a value with a space or without characters is refused`() {
    #expect(throws: OAuthError(.invalidScope, .scope)) { try Scope(values: ["a b"]) }
    #expect(throws: OAuthError(.invalidScope, .scope)) { try Scope(values: [""]) }
  }

  @Test func `64 values fit and 65 do not`() throws {
    let values = (0..<65).map { "v\($0)" }
    #expect(try Scope(values: Array(values.dropLast())).values.count == 64)
    #expect(throws: OAuthError(.invalidScope, .scope)) { try Scope(values: values) }
  }

  @Test func `4096 bytes fit and 4097 do not`() throws {
    let text = String(repeating: "a", count: 4096)
    #expect(try Scope(text).text == text)
    #expect(throws: OAuthError(.invalidScope, .scope)) { try Scope(text + "a") }
    #expect(throws: OAuthError(.invalidScope, .scope)) { try Scope(values: [text, "a"]) }
  }
}
