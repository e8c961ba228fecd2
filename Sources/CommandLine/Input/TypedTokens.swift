internal import AgentSocket
internal import Platform
internal import Wire

/// Reads tokens from a file, a pipe, or a terminal where a user types or pastes them.
struct TokenReader {
  /// A terminal silently drops input beyond this many bytes of a line.
  private static let mostTypedBytes = 4095
  /// A line of a terminal with its end. A pipe with space accepts this many bytes at once.
  private static let typedPieceBytes = 4096
  private static let pieceBytes = 256 << 10

  let source: SharedDescriptor
  let isTyped: Bool
  /// The maximum wait for all tokens, in seconds, and when it ends; nil for no limit.
  private let patience: (seconds: Int, deadline: Instant)?
  private(set) var hasEnded = false

  init(_ source: consuming FileDescriptor, isTyped: Bool, within seconds: Int? = nil) {
    self.source = SharedDescriptor(source)
    self.isTyped = isTyped
    patience = seconds.map { ($0, .now.advanced(by: .seconds($0))) }
  }

  /// Appends the next input; from a terminal at most one line.
  ///
  /// Ctrl-D ends typed input even if it follows a token on the same line. A terminal then only delivers the text before
  /// it, and most programs wait for a second Ctrl-D.
  ///
  /// - Returns: The number of bytes; 0 at the end.
  /// - Throws: `invalid_request` if the input cannot be read or a typed line may be truncated; `timeout`.
  mutating func read(into bytes: inout [UInt8]) throws(Failure) -> Int {
    guard !hasEnded else { return 0 }
    let start = bytes.count
    try waitForTokens()
    do {
      _ = try source.descriptor.read(into: &bytes, upTo: isTyped ? Self.typedPieceBytes : Self.pieceBytes)
    } catch {
      throw Failure(.invalidRequest, Phrase("cannot read the tokens: \(Phrase(known: error.message))"))
    }
    let piece = bytes[start...]
    hasEnded = piece.isEmpty || (isTyped && piece.last != UInt8(ascii: "\n"))
    guard !isTyped || piece.count < Self.mostTypedBytes else {
      throw Failure(
        .invalidRequest, "the token may be cut off: a terminal accepts at most \(Self.mostTypedBytes) bytes per line",
        hint: "use a file or a pipe")
    }
    return piece.count
  }

  private func waitForTokens() throws(Failure) {
    guard let patience else { return }
    let left = Instant.now.duration(to: patience.deadline)
    // If waiting fails, the read below reports why.
    guard (try? source.descriptor.waitUntilReadable(timeout: left)) == false else { return }
    throw Failure(.timeout, "the tokens did not end within \(patience.seconds) s")
  }
}

/// Sends the user's input to the daemon, line by line.
///
/// The daemon cannot read it itself: it has no controlling terminal, so it would continue to read while this command is
/// suspended or in the background, and receive input intended for the shell.
struct TypedTokens {
  /// How long to wait for a full pipe before reading the results.
  private static let patience = Duration.milliseconds(20)

  private var reader: TokenReader
  private let pipe: SharedDescriptor

  /// - Parameter pipe: The pipe to the daemon. Closing it ends the tokens, so no other process may have a copy.
  init(_ reader: TokenReader, into pipe: SharedDescriptor) {
    self.reader = reader
    self.pipe = pipe
  }

  /// The terminal's descriptor, to wait for.
  var raw: Int32 { reader.source.descriptor.raw }

  /// Passes one line.
  ///
  /// - Parameter whileFull: Reads results: the daemon accepts no more tokens until its results are read.
  /// - Returns: False at the end, when the pipe must be closed.
  mutating func pass(whileFull: () throws(Failure) -> Void) throws(Failure) -> Bool {
    var bytes: [UInt8] = []
    defer { bytes.overwrite() }
    _ = try reader.read(into: &bytes)
    while try !hasRoom() { try whileFull() }
    do { try pipe.descriptor.writeAll(bytes.span) } catch {
      throw Failure(error, doing: "cannot pass the tokens to the daemon")
    }
    return !reader.hasEnded
  }

  private func hasRoom() throws(Failure) -> Bool {
    do { return try pipe.descriptor.waitUntilWritable(timeout: Self.patience) } catch {
      throw Failure(error, doing: "cannot pass the tokens to the daemon")
    }
  }
}
