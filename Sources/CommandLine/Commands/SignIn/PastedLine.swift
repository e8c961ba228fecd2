internal import AgentSocket
internal import Platform
internal import Wire

/// Reads an address that a person pastes, from the terminal without showing it, or from standard input where that
/// is none. Read when there is something to read, so that other things can be waited for meanwhile.
///
/// A terminal keeps 4,095 bytes of a line and drops the others without a word, so it is read by the character there.
struct PastedLine {
  /// nil stands for standard input.
  private let terminal: SharedDescriptor?
  private var bytes: [UInt8] = []

  /// - Returns: nil when there is a terminal, and it must not be read from.
  static func open(_ signals: inout SignInSignals, mayUseTerminal: Bool) throws(Failure) -> PastedLine? {
    if !Terminal.isTerminal(0) { return PastedLine(terminal: nil) }
    guard mayUseTerminal else { return nil }
    do {
      try signals.takeTyping()
      return PastedLine(terminal: SharedDescriptor(try Terminal.openControlling()))
    } catch {
      throw Failure(error, doing: "the terminal cannot be read from")
    }
  }

  private init(terminal: SharedDescriptor?) { self.terminal = terminal }

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
    var hasEnded = count == 0
    if isTerminal { hasEnded = edit(chunk) || hasEnded } else { bytes += chunk }
    chunk.overwrite()
    while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
      if let line = take(upTo: end) { return line }
    }
    guard bytes.count <= LoginRedirectRequest.maximumURLBytes else {
      bytes.overwrite()
      throw Failure(.invalidRequest, "the address is too long")
    }
    if !hasEnded { return nil }
    if let last = take(upTo: bytes.count) { return last }
    throw Failure(.invalidRequest, "the input ended before the address came")
  }

  /// Takes what was typed, with the keys that mend a line. Returns whether it is the end of the input.
  private mutating func edit(_ typed: [UInt8]) -> Bool {
    for byte in typed {
      switch byte {
      case Key.erase, Key.backspace: if bytes.last != UInt8(ascii: "\n") { _ = bytes.popLast() }
      case Key.eraseLine, Key.eraseWord: while let last = bytes.last, last != UInt8(ascii: "\n") { bytes.removeLast() }
      case Key.end: if bytes.isEmpty { return true }
      default: bytes.append(byte)
      }
    }
    return false
  }

  /// Ctrl-H, Delete, Ctrl-U, Ctrl-W and Ctrl-D. An address is one word.
  private enum Key {
    static let backspace: UInt8 = 0x08
    static let erase: UInt8 = 0x7F
    static let eraseLine: UInt8 = 0x15
    static let eraseWord: UInt8 = 0x17
    static let end: UInt8 = 0x04
  }

  private mutating func take(upTo end: Int) -> String? {
    let line = String(decoding: bytes[..<end].filter { $0 > 0x20 }, as: UTF8.self)
    let rest = Array(bytes.dropFirst(end + 1))
    bytes.overwrite()
    bytes = rest
    return line.isEmpty ? nil : line
  }

  /// Reads without taking the descriptor over.
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
