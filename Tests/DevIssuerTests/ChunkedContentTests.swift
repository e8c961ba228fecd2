import Testing

@testable import devissuer

/// RFC 9112 section 7.1.
@Suite struct `Content in chunks` {
  private static let whole = Array("5\r\nhello\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nA: b\r\n\r\nrest".utf8)

  private func read(_ text: String, limit: Int = 1000) throws(RequestError) -> [UInt8]? {
    var buffer = Array(text.utf8)
    var chunks = ChunkedContent()
    return try chunks.read(from: &buffer, limit: limit)
  }

  @Test func `it does not matter where the stream is cut`() throws {
    let end = Self.whole.count - 4
    for count in 0..<Self.whole.count {
      var chunks = ChunkedContent()
      var buffer = Array(Self.whole[..<count])
      let first = try chunks.read(from: &buffer, limit: 15)
      #expect((first == nil) == (count < end), "cut at \(count)")
      buffer += Self.whole[count...]
      let content = try first ?? chunks.read(from: &buffer, limit: 15)
      #expect(content == Array("hello0123456789".utf8) && buffer == Array("rest".utf8), "cut at \(count)")
    }
  }

  @Test(arguments: [
    "\r\n", "g\r\n", "-1\r\n", "+5\r\nhello\r\n", "0x5\r\n", "5\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n",
    "123456789\r\n",
    ";x\r\n", "5 \r\n", String(repeating: "0", count: 300),
  ])
  func `malformed chunks are refused`(text: String) {
    #expect(throws: RequestError.malformed) { try read(text) }
  }

  @Test func `the limits hold`() {
    #expect(throws: RequestError.bodyTooLarge) { try read("6\r\n", limit: 5) }
    #expect(throws: RequestError.bodyTooLarge) { try read("5\r\nhello\r\n1\r\n", limit: 5) }
    #expect(throws: RequestError.bodyTooLarge) { try read("ffffffff\r\n") }
    let trailer = String(repeating: "A: " + String(repeating: "x", count: 997) + "\r\n", count: 5)
    #expect(throws: RequestError.headTooLarge) { try read("0\r\n" + trailer) }
  }
}
