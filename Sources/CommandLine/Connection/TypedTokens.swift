internal import AgentSocket
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
  /// The longest wait for all tokens, in seconds, and when it ends; nil for no limit.
  private let patience: (seconds: Int, deadline: Instant)?
  /// Nothing comes any more.
  private(set) var hasEnded = false

  init(_ source: consuming FileDescriptor, isTyped: Bool, within seconds: Int? = nil) {
    self.source = SharedDescriptor(source)
    self.isTyped = isTyped
    patience = seconds.map { ($0, .now.advanced(by: .seconds($0))) }
  }

  /// Appends what comes next, for a terminal at most one line.
  ///
  /// Ctrl-D ends what is typed also where it follows a token on the same line. A terminal hands over only what stands
  /// before it then, and most programs wait for another one.
  ///
  /// - Returns: How many bytes it was; 0 at the end.
  /// - Throws: `invalid_request` for what cannot be read, and for a typed line that may be cut off; `timeout`.
  mutating func read(into bytes: inout [UInt8]) throws(Failure) -> Int {
    guard !hasEnded else { return 0 }
    let start = bytes.count
    try waitForTokens()
    do {
      _ = try source.descriptor.read(into: &bytes, upTo: isTyped ? Self.typedPieceBytes : Self.pieceBytes)
    } catch {
      throw Failure(.invalidRequest, Phrase("the tokens cannot be read: \(Phrase(known: error.message))"))
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

  private func waitForTokens() throws(Failure) {
    guard let patience else { return }
    let left = Instant.now.duration(to: patience.deadline)
    // What cannot be waited for is read, which tells why.
    guard (try? source.descriptor.waitUntilReadable(timeout: left)) == false else { return }
    throw Failure(.timeout, "the tokens did not end within \(patience.seconds) s")
  }
}

/// Hands what a person types to the daemon, line by line.
///
/// The daemon cannot read it itself: it belongs to no terminal, so it would read on while this command is suspended or
/// in the background, and take what is meant for the shell.
struct TypedTokens {
  /// How long a full pipe is waited for before the results are looked at.
  private static let patience = Duration.milliseconds(20)

  private var reader: TokenReader
  private let pipe: SharedDescriptor

  /// - Parameter pipe: To the daemon. Its end marks the end of the tokens, so no other process may hold it.
  init(_ reader: TokenReader, into pipe: SharedDescriptor) {
    self.reader = reader
    self.pipe = pipe
  }

  /// The terminal, to wait for.
  var raw: Int32 { reader.source.descriptor.raw }

  /// Hands on one line.
  ///
  /// - Parameter whileFull: Makes room: the daemon takes no more tokens while its results are not read.
  /// - Returns: False at the end, when the pipe is to be closed.
  mutating func pass(whileFull: () throws(Failure) -> Void) throws(Failure) -> Bool {
    var bytes: [UInt8] = []
    defer { bytes.overwrite() }
    _ = try reader.read(into: &bytes)
    while try !hasRoom() { try whileFull() }
    do { try pipe.descriptor.writeAll(bytes.span) } catch {
      throw Failure(error, doing: "the tokens could not be handed over")
    }
    return !reader.hasEnded
  }

  private func hasRoom() throws(Failure) -> Bool {
    do { return try pipe.descriptor.waitUntilWritable(timeout: Self.patience) } catch {
      throw Failure(error, doing: "the tokens could not be handed over")
    }
  }
}
