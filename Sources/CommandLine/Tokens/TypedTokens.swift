internal import Platform
internal import Wire

/// Hands what a person types to the daemon, line by line.
///
/// The daemon cannot read it itself: it belongs to no terminal, so it would read on while this command is suspended or
/// in the background, and take what is meant for the shell.
struct TypedTokens {
  /// How long a full pipe is waited for before the results are looked at.
  private static let patience = Duration.milliseconds(20)

  private var reader: TokenReader
  private let pipe: SharedDescriptor

  /// - Parameter pipe: To the daemon. Its end tells that of the tokens, so nobody else may hold it.
  init(_ reader: TokenReader, into pipe: SharedDescriptor) {
    self.reader = reader
    self.pipe = pipe
  }

  /// The terminal, to wait for.
  var raw: Int32 { reader.source.descriptor.raw }

  /// Hands on one line.
  ///
  /// - Parameter whileFull: Makes room: the daemon takes no more tokens while nobody takes its results.
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
