import Encoding
import Testing

@Suite struct `Textual encodings (RFC 7468)` {
  private func bodies(_ text: String) -> [String]? {
    let bytes = Array(text.utf8)
    return PEM.blocks(in: bytes.span)?.map { block in
      var body: [UInt8] = []
      PEM.appendBase64(of: block, in: bytes.span, to: &body)
      return "\(block.label): \(String(decoding: body, as: UTF8.self))"
    }
  }

  @Test(arguments: ["\n", "\r\n", " \t\n"]) func `objects are read in order, and what is between them left out`(
    end: String
  ) {
    let lines = [
      "explanation", "-----BEGIN A KEY-----", "Zm9v", " YmFy", "-----END A KEY-----", "", "-----BEGIN B-----",
      "-----END B-----",
    ]
    #expect(bodies(lines.joined(separator: end)) == ["A KEY: Zm9vYmFy", "B: "])
  }

  @Test(arguments: ["", "no object", "-----BEGIN A", "----BEGIN A-----\n----END A-----", "-----BEGIN -----x"])
  func `a text may hold none`(text: String) {
    #expect(bodies(text) == [])
  }

  @Test(arguments: [
    "-----BEGIN A-----\nZm9v", "-----BEGIN A-----\n-----END B-----", "-----END A-----",
    "-----BEGIN A-----\n-----BEGIN A-----\n-----END A-----",
  ])
  func `an object is ended by its own label`(text: String) {
    #expect(bodies(text) == nil)
  }

  @Test func `there is a limit`() {
    let object = "-----BEGIN A-----\n-----END A-----\n"
    #expect(bodies(String(repeating: object, count: PEM.maximumBlocks))?.count == PEM.maximumBlocks)
    #expect(bodies(String(repeating: object, count: PEM.maximumBlocks + 1)) == nil)
  }

  @Test func `a text that is cut off holds no object that was not whole`() {
    let text = "-----BEGIN A-----\nZm9v\n-----END A-----"
    for count in 0..<text.utf8.count { #expect(bodies(String(text.prefix(count)))?.isEmpty ?? true) }
  }
}
