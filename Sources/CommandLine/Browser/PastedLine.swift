internal import Platform
internal import Wire

/// Reads an address that a person pastes, from the terminal without showing it, or from standard input where that
/// is none. Read when there is something to read, so that other things can be waited for meanwhile.
struct PastedLine {
  /// nil stands for standard input.
  private let terminal: SilentTerminal?
  private var bytes: [UInt8] = []

  /// - Returns: nil when there is a terminal, and it must not be read from.
  static func open(mayUseTerminal: Bool) throws(Failure) -> PastedLine? {
    if !Terminal.isTerminal(0) { return PastedLine(terminal: nil) }
    guard mayUseTerminal else { return nil }
    do {
      return PastedLine(terminal: try SilentTerminal())
    } catch {
      throw Failure(error, doing: "the terminal cannot be read from")
    }
  }

  private init(terminal: SilentTerminal?) { self.terminal = terminal }

  /// The descriptor to wait for.
  var raw: Int32 { terminal?.descriptor.raw ?? 0 }

  var isTerminal: Bool { terminal != nil }

  /// Reads once, and waits if there is nothing. Returns a line that is not empty, once it is whole.
  ///
  /// - Throws: `invalid_request` at the end of the input, and for a line that is too long.
  mutating func read() throws(Failure) -> String? {
    var chunk: [UInt8] = []
    let count: Int
    do {
      count = try Self.read(raw, into: &chunk)
    } catch {
      throw Failure(error, doing: "the address cannot be read")
    }
    bytes += chunk
    chunk.overwrite()
    while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
      if let line = take(upTo: end) { return line }
    }
    guard bytes.count <= LoginRedirectRequest.maximumURLBytes else {
      bytes.overwrite()
      throw Failure(.invalidRequest, "the address is too long")
    }
    if count > 0 { return nil }
    if let last = take(upTo: bytes.count) { return last }
    throw Failure(.invalidRequest, "the input ended before the address came")
  }

  private mutating func take(upTo end: Int) -> String? {
    let line = String(decoding: bytes[..<end].filter { $0 > 0x20 }, as: UTF8.self)
    let rest = Array(bytes.dropFirst(end + 1))
    bytes.overwrite()
    bytes = rest
    return line.isEmpty ? nil : line
  }

  /// The descriptor stays whoever's it is.
  private static func read(_ number: Int32, into chunk: inout [UInt8]) throws(SystemError) -> Int {
    let borrowed = FileDescriptor(owning: number)
    do {
      let count = try borrowed.read(into: &chunk, upTo: 4096)
      _ = borrowed.release()
      return count
    } catch {
      _ = borrowed.release()
      throw error
    }
  }
}
