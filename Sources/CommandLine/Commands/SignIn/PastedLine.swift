internal import Platform
internal import Wire

/// Reads a pasted URL from the terminal without echo, otherwise from standard input. Uses character mode, since
/// terminals silently truncate lines after 4,095 bytes.
struct PastedLine {
  /// Nil for standard input.
  private let terminal: SharedDescriptor?
  private var bytes: [UInt8] = []

  /// Prepares the input; nil if the terminal must not be read.
  static func open(_ signals: inout SignInSignals, mayUseTerminal: Bool) throws(Failure) -> PastedLine? {
    if !Terminal.isTerminal(0) { return PastedLine(terminal: nil) }
    guard mayUseTerminal else { return nil }
    do {
      try signals.readTypingByCharacter()
      return PastedLine(terminal: SharedDescriptor(try Terminal.openControlling()))
    } catch {
      throw Failure(error, doing: "cannot read from the terminal")
    }
  }

  private init(terminal: SharedDescriptor?) { self.terminal = terminal }

  var raw: Int32 { terminal?.descriptor.raw ?? 0 }

  var isTerminal: Bool { terminal != nil }

  /// Reads once, blocking. Returns the URL once complete. Throws `invalid_request` at the end of input or if the line
  /// is too long.
  mutating func read() throws(Failure) -> String? {
    var chunk: [UInt8] = []
    let count: Int
    do {
      count = try FileDescriptor.duplicate(raw).read(into: &chunk, upTo: 4096)
    } catch {
      throw Failure(error, doing: "cannot read the address")
    }
    var hasEnded = count == 0
    if isTerminal { hasEnded = edit(chunk) || hasEnded } else { bytes += chunk }
    chunk.overwrite()
    if let address = takeURL(isOver: hasEnded) { return address }
    guard bytes.count <= LoginStepRequest.maximumURLBytes else {
      bytes.overwrite()
      throw Failure(.invalidRequest, "the address is too long")
    }
    if !hasEnded { return nil }
    throw Failure(.invalidRequest, "the input ended before the address was complete")
  }

  /// Handles characters and editing keys; true if the input has ended.
  private mutating func edit(_ typed: [UInt8]) -> Bool {
    for byte in typed {
      switch byte {
      case EditingKey.erase, EditingKey.backspace: if bytes.last != UInt8(ascii: "\n") { _ = bytes.popLast() }
      case EditingKey.eraseLine, EditingKey.eraseWord:
        while let last = bytes.last, last != UInt8(ascii: "\n") { bytes.removeLast() }
      case EditingKey.end: if bytes.isEmpty { return true }
      default: bytes.append(byte)
      }
    }
    return false
  }

  /// Ctrl-H, Delete, Ctrl-U, Ctrl-W (like Ctrl-U) and Ctrl-D.
  private enum EditingKey {
    static let backspace: UInt8 = 0x08
    static let erase: UInt8 = 0x7F
    static let eraseLine: UInt8 = 0x15
    static let eraseWord: UInt8 = 0x17
    static let end: UInt8 = 0x04
  }

  /// `isOver`: the input has ended.
  private mutating func takeURL(isOver: Bool) -> String? {
    guard case (var address, let count)? = PastedAddress.extractURL(from: bytes, isOver: isOver) else { return nil }
    let text = String(decoding: address, as: UTF8.self)
    address.overwrite()
    let rest = Array(bytes.dropFirst(count))
    bytes.overwrite()
    bytes = rest
    return text
  }
}
