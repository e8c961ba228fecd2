/// Cuts an input into lines, as many at a time as one read brings. Used for lines whose length and number somebody
/// else controls: what is kept is bounded by the longest line.
package struct LineBlocks: Sendable {
  /// A line with anything in it, without the white space around it.
  package struct Line: Sendable, Hashable {
    /// Counted from 1, empty lines included.
    package let number: Int
    /// Where it is in ``Block/bytes``; nil for one that is longer than allowed, which is passed over.
    package let place: Range<Int>?
  }

  /// What one read brought.
  package struct Block: Sendable {
    package var bytes: [UInt8]
    package let lines: [Line]
  }

  /// How much is read at a time, in bytes.
  private static let pieceBytes = 256 << 10

  private let limit: Int
  /// The beginning of a line whose end has not come.
  private var pending: [UInt8] = []
  private var lineNumber = 0
  /// The line that goes on was told as too long.
  private var isSkipping = false
  /// The end has come. There is nothing more to wait for: a terminal tells of it only once.
  package private(set) var isAtEnd = false

  /// - Parameter limit: The most bytes of a line, white space included.
  package init(limit: Int) { self.limit = limit }

  /// Reads once and gives the lines that are complete now, which may be none.
  ///
  /// - Returns: Nil after the end.
  /// - Throws: What `read` fails with; `EAGAIN` when the descriptor does not wait and nothing is there.
  package mutating func next(from descriptor: borrowing FileDescriptor) throws(SystemError) -> Block? {
    try next { (bytes) throws(SystemError) in try descriptor.read(into: &bytes, upTo: Self.pieceBytes) }
  }

  /// The same with a reader of any kind.
  ///
  /// - Parameter read: Appends what it reads, and says how many bytes that was; 0 at the end.
  package mutating func next<Problem: Error>(
    by read: (inout [UInt8]) throws(Problem) -> Int
  ) throws(Problem) -> Block? {
    guard !isAtEnd else { return nil }
    let known = pending.count
    isAtEnd = try read(&pending) == 0
    return cut(searchFrom: known)
  }

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
      if !isSkipping { lines.append(Line(number: lineNumber + 1, place: nil)) }
      isSkipping = true
    } else {
      pending = Array(bytes[start...])
    }
    return Block(bytes: bytes, lines: lines)
  }

  private mutating func take(_ whole: Range<Int>, of bytes: [UInt8], into lines: inout [Line]) {
    lineNumber += 1
    if isSkipping {
      isSkipping = false
      return
    }
    // The line counts as it came, so that it makes no difference in what pieces that was.
    guard whole.count <= limit else { return lines.append(Line(number: lineNumber, place: nil)) }
    var place = whole
    while let first = place.first, Self.isBlank(bytes[first]) { place = place.dropFirst() }
    while let last = place.last, Self.isBlank(bytes[last]) { place = place.dropLast() }
    if place.isEmpty { return }
    lines.append(Line(number: lineNumber, place: place))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
