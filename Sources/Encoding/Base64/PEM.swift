/// Textual encodings of keys and certificates (RFC 7468). Bodies are read only into sinks, so secrets never reach the
/// ordinary heap.
package enum PEM {
  /// An object in PEM text.
  package struct Block: Sendable, Hashable {
    /// The label, such as `PRIVATE KEY`.
    package let label: String
    package func hasLabel(_ text: String) -> Bool { label.hasSameBytes(as: text) }
    /// The range of the base64 in the text, with line breaks.
    fileprivate let body: Range<Int>
  }

  package static let maximumBlocks = 32

  /// The objects in PEM text (section 2), without other text. Nil if BEGIN and END lines do not match, or beyond `most`
  /// objects.
  package static func blocks(in text: Span<UInt8>, atMost most: Int = maximumBlocks) -> [Block]? {
    var blocks: [Block] = []
    var open: (label: [UInt8], start: Int)?
    var lineStart = 0
    while lineStart < text.count {
      var lineEnd = lineStart
      while lineEnd < text.count, text[lineEnd] != UInt8(ascii: "\n") { lineEnd += 1 }
      let next = lineEnd + 1
      if let label = label(after: "-----BEGIN ", in: text, lineStart..<lineEnd) {
        guard open == nil, blocks.count < most else { return nil }
        open = (label, next)
      } else if let label = label(after: "-----END ", in: text, lineStart..<lineEnd) {
        guard let begun = open, begun.label == label else { return nil }
        blocks.append(Block(label: String(decoding: label, as: UTF8.self), body: begun.start..<lineStart))
        open = nil
      }
      lineStart = next
    }
    return open == nil ? blocks : nil
  }

  /// Writes an object's base64 body, without whitespace.
  package static func appendBase64<S: ByteSink & ~Copyable>(
    of block: Block, in text: Span<UInt8>, to sink: inout S
  ) {
    for index in block.body where index < text.count {
      switch text[index] {
      case 0x20, 0x09, 0x0A, 0x0D: break
      case let byte: sink.append(byte)
      }
    }
  }

  /// Encodes an object that is not secret (section 2).
  package static func text(_ label: String, _ object: [UInt8]) -> String {
    let characters = Array(Base64.encode(object).utf8)
    let lines = stride(from: 0, to: characters.count, by: 64).map { start in
      String(decoding: characters[start..<min(start + 64, characters.count)], as: UTF8.self) + "\n"
    }
    return "-----BEGIN \(label)-----\n\(lines.joined())-----END \(label)-----\n"
  }

  /// Lines with longer labels are ignored.
  private static let maximumLabelBytes = 64

  /// Nil unless the line begins with `start`.
  private static func label(after start: String, in text: Span<UInt8>, _ line: Range<Int>) -> [UInt8]? {
    let (begin, end) = (Array(start.utf8), Array("-----".utf8))
    var stop = line.upperBound
    while stop > line.lowerBound, [0x20, 0x09, 0x0D].contains(text[stop - 1]) { stop -= 1 }
    guard stop - line.lowerBound >= begin.count + end.count else { return nil }
    for offset in begin.indices where text[line.lowerBound + offset] != begin[offset] { return nil }
    for offset in end.indices where text[stop - end.count + offset] != end[offset] { return nil }
    let label = (line.lowerBound + begin.count)..<(stop - end.count)
    guard label.count <= maximumLabelBytes else { return nil }
    return label.map { text[$0] }
  }
}
