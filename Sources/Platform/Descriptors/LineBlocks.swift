/// Splits an input into lines, read by read. Buffers at most one incomplete line.
package struct LineBlocks: Sendable {
  /// A non-empty line without surrounding whitespace.
  package struct Line: Sendable, Hashable {
    /// From 1, including empty lines.
    package let number: Int
    /// The range in ``Block/bytes``; nil if the line was too long.
    package let range: Range<Int>?
  }

  /// The result of one read.
  package struct Block: Sendable {
    package var bytes: [UInt8]
    package let lines: [Line]
  }

  private static let pieceBytes = 256 << 10

  private let limit: Int
  /// The beginning of an incomplete line.
  private var pending: [UInt8] = []
  private var lineNumber = 0
  private var isSkipping = false
  /// If true, do not read on: a terminal reports its end only once.
  package private(set) var isAtEnd = false

  /// - Parameter limit: The maximum bytes of a line, including whitespace.
  package init(limit: Int) { self.limit = limit }

  /// Reads once and returns the lines now complete, possibly none; nil after the end.
  package mutating func next(from descriptor: borrowing FileDescriptor) throws(SystemError) -> Block? {
    try next { (bytes) throws(SystemError) in try descriptor.read(into: &bytes, upTo: Self.pieceBytes) }
  }

  /// Like ``next(from:)``. `read` appends bytes and returns their number, 0 at the end.
  package mutating func next<Problem: Error>(
    by read: (inout [UInt8]) throws(Problem) -> Int
  ) throws(Problem) -> Block? {
    guard !isAtEnd else { return nil }
    let known = pending.count
    isAtEnd = try read(&pending) == 0
    return cut(searchFrom: known)
  }

  /// Removes complete lines, searching from index `known`.
  private mutating func cut(searchFrom known: Int) -> Block {
    var bytes: [UInt8] = []
    swap(&bytes, &pending)
    var lines: [Line] = []
    var (start, search) = (0, known)
    while let end = bytes.span.firstIndex(of: UInt8(ascii: "\n"), from: search) {
      take(start..<end, of: bytes, into: &lines)
      (start, search) = (end + 1, end + 1)
    }
    if isAtEnd {
      if start < bytes.count { take(start..<bytes.count, of: bytes, into: &lines) }
    } else if isSkipping || bytes.count - start > limit {
      if !isSkipping { lines.append(Line(number: lineNumber + 1, range: nil)) }
      isSkipping = true
    } else {
      pending = Array(bytes[start...])
    }
    return Block(bytes: bytes, lines: lines)
  }

  /// Appends a line, with a nil range if too long. Skips empty lines, and the rest of a line already reported.
  private mutating func take(_ whole: Range<Int>, of bytes: [UInt8], into lines: inout [Line]) {
    lineNumber += 1
    if isSkipping {
      isSkipping = false
      return
    }
    guard whole.count <= limit else { return lines.append(Line(number: lineNumber, range: nil)) }
    var range = whole
    while let first = range.first, Self.isBlank(bytes[first]) { range = range.dropFirst() }
    while let last = range.last, Self.isBlank(bytes[last]) { range = range.dropLast() }
    if range.isEmpty { return }
    lines.append(Line(number: lineNumber, range: range))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
