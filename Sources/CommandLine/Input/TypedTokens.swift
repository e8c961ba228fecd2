internal import Platform
internal import Wire

struct TokenReader {
  /// Terminals truncate longer lines silently.
  private static let maximumTypedBytes = 4095
  /// Bytes per read from a terminal, which fit into a writable pipe.
  private static let typedPieceBytes = 4096
  private static let pieceBytes = 256 << 10

  let source: SharedDescriptor
  /// Whether the source is a terminal.
  let isTyped: Bool
  private let timeout: (seconds: Int, deadline: Instant)?
  private(set) var hasEnded = false

  init(_ source: consuming FileDescriptor, isTyped: Bool, within seconds: Int? = nil) {
    self.source = SharedDescriptor(source)
    self.isTyped = isTyped
    timeout = seconds.map { ($0, .now.advanced(by: .seconds($0))) }
  }

  /// Appends the next input, at most one line of a terminal, and returns its length; 0 at the end. Ctrl-D ends the
  /// input even after a token. Throws if a typed line may be truncated.
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
    guard !isTyped || piece.count < Self.maximumTypedBytes else {
      throw Failure(
        .invalidRequest,
        "the token may be cut off: a terminal accepts at most \(Self.maximumTypedBytes) bytes per line",
        hint: "use a file or a pipe")
    }
    return piece.count
  }

  private func waitForTokens() throws(Failure) {
    guard let timeout else { return }
    let left = Instant.now.duration(to: timeout.deadline)
    // If waiting fails, the read below reports the error.
    guard (try? source.descriptor.waitUntilReadable(timeout: left)) == false else { return }
    throw Failure(.timeout, "the tokens did not end within \(timeout.seconds) s")
  }
}

/// Sends typed input to the daemon, line by line. The daemon has no controlling terminal, and would also read input for
/// the shell while this command is suspended.
struct TypedTokens {
  /// How long to wait for a full pipe before calling `whileFull`.
  private static let pollInterval = Duration.milliseconds(20)

  private var reader: TokenReader
  private let pipe: SharedDescriptor

  /// `pipe` must be the only copy of the writing end. Closing it ends the tokens.
  init(_ reader: TokenReader, into pipe: SharedDescriptor) {
    self.reader = reader
    self.pipe = pipe
  }

  var raw: Int32 { reader.source.descriptor.raw }

  /// Sends a line. While the pipe is full, calls `whileFull` to read results, since unread ones may block the daemon.
  /// Returns false at the end of input, when the pipe must be closed.
  mutating func pass(whileFull: () throws(Failure) -> Void) throws(Failure) -> Bool {
    var bytes: [UInt8] = []
    defer { bytes.overwrite() }
    _ = try reader.read(into: &bytes)
    while try !isPipeWritable() { try whileFull() }
    do { try pipe.descriptor.writeAll(bytes.span) } catch {
      throw Failure(error, doing: "cannot pass the tokens to the daemon")
    }
    return !reader.hasEnded
  }

  private func isPipeWritable() throws(Failure) -> Bool {
    do { return try pipe.descriptor.waitUntilWritable(timeout: Self.pollInterval) } catch {
      throw Failure(error, doing: "cannot pass the tokens to the daemon")
    }
  }
}
