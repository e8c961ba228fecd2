import Encoding
import Testing

@Suite struct `JSON layouts` {
  private static let source = utf8(
    #" {"access_token":"abc\u002d\n\ud834\udd1e","token_type":"Bearer","expires_in":3600,"#
      + #""nested":{"list":[1,"two",null,true,[]]},"n\u0061me":false} "#)

  private func layout() throws -> JSONLayout.Node { try JSONLayout(parsing: Self.source).root }

  @Test func `members are found by name after their escapes are decoded`() throws {
    let root = try layout()
    #expect(root.kind == .object)
    #expect(root["access_token"]?.kind == .string)
    #expect(root["expires_in"]?.kind == .number)
    #expect(root["name"]?.kind == .bool)
    #expect(root["list"] == nil)
    #expect(root["access_toke"] == nil)
    #expect(root[""] == nil)
    #expect(root["nested"]?["list"]?.kind == .array)
    #expect(root["nested"]?["name"] == nil)
  }

  @Test func `a lenient reader takes what the grammar allows and readers disagree on`() throws {
    let text = utf8(
      #"{"a":"\ud800x\udc00","a":"\ud834\udd1e","b":"\ud834\u0041","n":"# + String(repeating: "9", count: 99) + "}")
    #expect(throws: JSONError.self) { try JSONLayout(parsing: text) }
    let root = try JSONLayout(parsing: text, limits: .lenient).root
    #expect(root.members(named: "a").map { $0.string(in: text.span) } == ["\u{FFFD}x\u{FFFD}", "\u{1D11E}"])
    #expect(root["b"]?.string(in: text.span) == "\u{FFFD}A")
    #expect(root.members(named: "c").isEmpty)
    let deep = utf8(String(repeating: "[", count: 60) + String(repeating: "]", count: 60))
    _ = try JSONLayout(parsing: deep, limits: .lenient)
    // Invalid JSON stays invalid.
    for text in [
      "", "{", #"{"a":1}x"#, #"{"a":01}"#, "{\"a\":\"\u{1}\"}", #"{"a":"\ud83"}"#, String(repeating: "[", count: 65),
    ] {
      #expect(throws: JSONError.self) { try JSONLayout(parsing: utf8(text), limits: .lenient) }
    }
    #expect(throws: JSONError.self) {
      try JSONLayout(parsing: Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8), limits: .lenient)
    }
    #expect(throws: JSONError.self) {
      try JSONLayout(parsing: utf8("\"" + String(repeating: "x", count: 1 << 18) + "\""), limits: .lenient)
    }
  }

  @Test func `elements come in order and only from an array`() throws {
    let root = try layout()
    let list = try #require(root["nested"]?["list"])
    #expect(list.elements.map(\.kind) == [.number, .string, .null, .bool, .array])
    #expect(list.elements[4].elements.isEmpty)
    #expect(list["two"] == nil)
    #expect(root.elements.isEmpty)
    #expect(list.elements[1].elements.isEmpty)
  }

  @Test func `a value is read from the text that was parsed`() throws {
    let root = try layout()
    let source = Self.source.span
    #expect(root["nested"]?.value(in: source) == ["list": [1, "two", .null, true, []]])
    #expect(root["name"]?.value(in: source) == false)
    #expect(root["token_type"]?.string(in: source) == "Bearer")
    #expect(isSame(root["access_token"]?.string(in: source), "abc-\n\u{1D11E}"))
    #expect(root["expires_in"]?.string(in: source) == nil)
    #expect(root.value(in: source) == (try JSON(parsing: Self.source)))
  }

  @Test func `a secret string goes to its sink without a copy in between`() throws {
    let root = try layout()
    let token = try #require(root["access_token"])
    var sink = BoundedSink(limit: 100)
    token.appendString(in: Self.source.span, to: &sink)
    #expect(sink.bytes == utf8("abc-\n\u{1D11E}"))
    #expect(try #require(token.stringByteCount) == 23)
    var plain: [UInt8] = []
    root["token_type"]?.appendString(in: Self.source.span, to: &plain)
    root["expires_in"]?.appendString(in: Self.source.span, to: &plain)
    #expect(plain == utf8("Bearer"))
    #expect(root["token_type"]?.stringByteCount == 6)
    #expect(root["expires_in"]?.stringByteCount == nil)
  }

  @Test func `a layout holds names but no byte of a value`() throws {
    let secret = "5ecre7-va1ue"
    let parsed = try JSONLayout(parsing: utf8("{\"token\":\"\(secret)\",\"list\":[\"\(secret)\",98765432123456]}"))
    var dumped = ""
    dump(parsed, to: &dumped)
    dump(parsed.root, to: &dumped)
    #expect(!dumped.contains(secret))
    #expect(!dumped.contains("98765432123456"))
    // The dump shows bytes as numbers: 53 is the secret's "5", which appears in no name.
    #expect(!dumped.contains("- 53\n"))
    #expect(dumped.contains("- 116\n"))
  }

  @Test func `a text that is one value is its own root`() throws {
    let source = utf8("\"x\"")
    let root = try JSONLayout(parsing: source.span).root
    #expect(root.kind == .string)
    #expect(root["x"] == nil)
    #expect(root.string(in: source.span) == "x")
  }

  @Test func `reading with another text is a mistake of ours and stops at once`() async {
    await #expect(processExitsWith: .failure) {
      let root = try JSONLayout(parsing: Array("[\"a\"]".utf8)).root
      _ = root.value(in: Array("[\"ab\"]".utf8).span)
    }
  }

  @Test func `many members are told apart`() throws {
    let members = (0..<500).map { "\"name-\($0)\":[\($0),{\"inner\":\($0)}]" }
    let source = utf8("{" + members.joined(separator: ",") + "}")
    let root = try JSONLayout(parsing: source).root
    for number in 0..<500 {
      #expect(root["name-\(number)"]?.elements[1]["inner"]?.value(in: source.span).int == number)
    }
  }
}
