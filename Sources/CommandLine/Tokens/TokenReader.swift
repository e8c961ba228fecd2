internal import Platform
internal import Wire

/// Reads tokens from a file, a pipe, or a terminal at which a person types or pastes them.
struct TokenReader {
  /// A terminal drops what is typed of a line after so many bytes, without a word.
  private static let mostTypedBytes = 4095
  /// A line of a terminal with its end, which is also what a pipe with room takes at once.
  private static let typedPieceBytes = 4096
  private static let pieceBytes = 256 << 10

  let source: SharedDescriptor
  let isTyped: Bool
  /// Nothing comes any more.
  private(set) var hasEnded = false

  init(_ source: consuming FileDescriptor, isTyped: Bool) {
    self.source = SharedDescriptor(source)
    self.isTyped = isTyped
  }

  /// Appends what comes next, for a terminal at most one line.
  ///
  /// Ctrl-D ends what is typed also where it follows a token on the same line. A terminal hands over only what stands
  /// before it then, and most programs wait for another one.
  ///
  /// - Returns: How many bytes it was; 0 at the end.
  /// - Throws: `invalid_request` for what cannot be read, and for a typed line that may be cut off.
  mutating func read(into bytes: inout [UInt8]) throws(Failure) -> Int {
    guard !hasEnded else { return 0 }
    let start = bytes.count
    do {
      _ = try source.descriptor.read(into: &bytes, upTo: isTyped ? Self.typedPieceBytes : Self.pieceBytes)
    } catch {
      throw Failure(.invalidRequest, "the tokens cannot be read: \(error.message)")
    }
    let piece = bytes[start...]
    hasEnded = piece.isEmpty || (isTyped && piece.last != UInt8(ascii: "\n"))
    guard !isTyped || piece.count < Self.mostTypedBytes else {
      throw Failure(
        .invalidRequest, "the token may be cut off: a terminal keeps \(Self.mostTypedBytes) bytes of a line",
        hint: "give it in a file, or by a pipe")
    }
    return piece.count
  }
}
