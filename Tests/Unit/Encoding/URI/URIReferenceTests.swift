import Encoding
import Testing

// RFC 3986 section 5.2.
@Suite struct `A reference in a document` {
  @Test(arguments: [
    ("https://other.example/x", "https://other.example/x"), ("//other.example/x", "https://other.example/x"),
    ("/x?y=1", "https://host.example:8443/x?y=1"), ("?y=1", "https://host.example:8443/a/b?y=1"),
    ("c/d", "https://host.example:8443/a/c/d"), ("c:d", ""), ("./c:d", ""), ("../c", ""), ("/a/./b", ""),
    ("/a/%2E%2e/b", ""), ("/a/.%2e", ""), ("/a/%2Eb/..c", "https://host.example:8443/a/%2Eb/..c"),
    ("", "https://host.example:8443/a/b?q=1"), ("#part", "https://host.example:8443/a/b?q=1"),
    ("/x#part", "https://host.example:8443/x"), ("HTTP://other.example", "HTTP://other.example"),
    ("/x y", ""), ("https://user@host.example/", ""), ("//", ""),
  ])
  func `means a URI`(reference: String, expected: String) throws {
    let base = try URI("https://host.example:8443/a/b?q=1")
    #expect(base.resolving(reference)?.text == (expected.isEmpty ? nil : expected))
  }

  @Test func `of a place without a path begins at the root`() throws {
    #expect(try URI("https://host.example").resolving("x")?.text == "https://host.example/x")
    #expect(try URI("https://host.example?q").resolving("/x")?.text == "https://host.example/x")
  }
}
