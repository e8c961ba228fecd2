/// Splits an input into lines, read by read. Stores at most one incomplete line.
package struct LineBlocks: Sendable {
  /// A non-empty line, without surrounding whitespace.
  package struct Line: Sendable, Hashable {
    /// The line number, from 1, including empty lines.
    package let number: Int
    /// The range in ``Block/bytes``; nil if the line is too long and was skipped.
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
  /// Whether the current line was reported as too long.
  private var isSkipping = false
  /// Do not read after the end: a terminal reports it only once.
  package private(set) var isAtEnd = false

  /// - Parameter limit: The maximum length of a line, in bytes including whitespace.
  package init(limit: Int) { self.limit = limit }

  /// Reads once and returns the lines that are complete now, possibly none; nil after the end. Throws `EAGAIN` if the
  /// descriptor is non-blocking and there is nothing to read.
  package mutating func next(from descriptor: borrowing FileDescriptor) throws(SystemError) -> Block? {
    try next { (bytes) throws(SystemError) in try descriptor.read(into: &bytes, upTo: Self.pieceBytes) }
  }

  /// Like ``next(from:)``, but reads with a closure.
  ///
  /// - Parameter read: Appends bytes and returns their number; 0 at the end.
  package mutating func next<Problem: Error>(
    by read: (inout [UInt8]) throws(Problem) -> Int
  ) throws(Problem) -> Block? {
    guard !isAtEnd else { return nil }
    let known = pending.count
    isAtEnd = try read(&pending) == 0
    return cut(searchFrom: known)
  }

  /// Removes the complete lines. Searches for line feeds from index `known`.
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

  /// Appends a line without surrounding whitespace; if it is too long, without a range. Ignores an empty line, and the
  /// end of a line that was already reported as too long.
  private mutating func take(_ whole: Range<Int>, of bytes: [UInt8], into lines: inout [Line]) {
    lineNumber += 1
    if isSkipping {
      isSkipping = false
      return
    }
    // The limit must not depend on the sizes of the reads.
    guard whole.count <= limit else { return lines.append(Line(number: lineNumber, range: nil)) }
    var range = whole
    while let first = range.first, Self.isBlank(bytes[first]) { range = range.dropFirst() }
    while let last = range.last, Self.isBlank(bytes[last]) { range = range.dropLast() }
    if range.isEmpty { return }
    lines.append(Line(number: lineNumber, range: range))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
