/// A position in a file, as editors show it. Both numbers start at 1.
package struct TextPosition: Sendable, Hashable {
  package let line: Int
  /// The column in characters.
  package let column: Int

  package init(_ offset: Int, in bytes: [UInt8]) {
    let before = bytes.prefix(offset)
    line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    // Continuation bytes are 10xxxxxx.
    column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
  }
}
