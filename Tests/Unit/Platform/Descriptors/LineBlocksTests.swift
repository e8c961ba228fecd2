import Platform
import Testing

@Suite struct `Blocks of lines` {
  /// All lines of an input; nil for one that is too long.
  private func lines(_ text: String, limit: Int = 10) throws -> [(Int, String?)] {
    let bytes = Array(text.utf8)
    let file = try FileDescriptor.inMemory(bytes.span)
    var blocks = LineBlocks(limit: limit)
    var found: [(Int, String?)] = []
    while let block = try blocks.next(from: file) {
      found += block.lines.map { line in
        (line.number, line.range.map { String(decoding: block.bytes[$0], as: UTF8.self) })
      }
    }
    return found
  }

  private func texts(_ text: String, limit: Int = 10) throws -> [String] {
    try lines(text, limit: limit).map { "\($0.0):\($0.1 ?? "too long")" }
  }

  @Test func `are cut at line feeds, and the last line needs none`() throws {
    #expect(try texts("a\nbc\n") == ["1:a", "2:bc"])
    #expect(try texts("a\nbc") == ["1:a", "2:bc"])
    #expect(try texts("") == [])
  }

  @Test func `leave out empty lines and the space around the others, but count them`() throws {
    #expect(try texts("\n \t\n  a b \r\n\r\nc") == ["3:a b", "5:c"])
  }

  @Test func `pass over a line that is too long, once`() throws {
    #expect(try texts("0123456789\n0123456789A\nb\n") == ["1:0123456789", "2:too long", "3:b"])
    // Longer than several reads, at the end, and twice.
    let long = String(repeating: "x", count: 700_000)
    #expect(try texts("a\n\(long)\n\(long)\nb") == ["1:a", "2:too long", "3:too long", "4:b"])
    #expect(try texts("a\n\(long)") == ["1:a", "2:too long"])
  }

  // Whitespace around a line counts, or the result would depend on the pieces it arrives in.
  @Test func `call a line too long for the space around it, however it comes`() throws {
    let input = Array("  \(String(repeating: " ", count: 9))a\n\n0123456789\r\n012345678\r\n".utf8)
    for size in 1...input.count {
      var (blocks, start) = (LineBlocks(limit: 10), 0)
      var found: [String] = []
      while true {
        let block = blocks.next { bytes in
          let piece = input[start...].prefix(size)
          (bytes, start) = (bytes + piece, start + piece.count)
          return piece.count
        }
        guard let block else { break }
        found += block.lines.map { line in
          "\(line.number):" + (line.range.map { String(decoding: block.bytes[$0], as: UTF8.self) } ?? "too long")
        }
      }
      #expect(found == ["1:too long", "3:too long", "4:012345678"], "in pieces of \(size)")
      #expect(blocks.isAtEnd)
    }
  }

  @Test func `put a line together that comes in several reads`() throws {
    let line = String(repeating: "y", count: 3000)
    let text = Array(repeating: line, count: 400).joined(separator: "\n")
    let found = try lines(text, limit: 3000)
    #expect(found.count == 400 && found.allSatisfy { $0.1 == line })
    #expect(found.map(\.0) == Array(1...400))
  }

  @Test func `are there as soon as a line is complete`() throws {
    let pipe = try Pipe()
    var blocks = LineBlocks(limit: 10)
    try pipe.writing.writeAll(Array("one\ntw".utf8).span)
    let first = try #require(try blocks.next(from: pipe.reading))
    #expect(first.lines.map(\.number) == [1])
    try pipe.writing.writeAll(Array("o\n".utf8).span)
    let second = try #require(try blocks.next(from: pipe.reading))
    #expect(second.lines.compactMap(\.range).map { Array(second.bytes[$0]) } == [Array("two".utf8)])
    try pipe.writing.close()
    #expect(try blocks.next(from: pipe.reading)?.lines == [])
    #expect(try blocks.next(from: pipe.reading) == nil)
  }
}
