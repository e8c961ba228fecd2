internal import Encoding

/// Parses a stream of server-sent events (WHATWG HTML, section 9.2).
struct EventStreamReader {
  /// The ID to resume the stream from. Empty at first.
  private(set) var lastID: [UInt8] = []
  /// The server's delay before reconnecting, if set.
  private(set) var retryMilliseconds: Int?

  private var line: [UInt8] = []
  private var data: [UInt8] = []
  /// The current event's ID, if any.
  private var id: [UInt8]?
  /// The current event's type; empty if none.
  private var type: [UInt8] = []
  /// Whether a CR ended the previous line. An LF directly after it is ignored.
  private var endedWithCR = false
  /// Whether a byte order mark may follow.
  private var isAtStart = true

  /// Of a line and of an event.
  private static let maximumBytes = MCPMessage.maximumBytes
  private static let maximumIDBytes = 1024

  /// The event exceeds ``MCPMessage/maximumBytes``.
  struct TooLong: Error {}

  /// Parses bytes. Passes the data of `message` events to `report`.
  mutating func feed(_ bytes: Span<UInt8>, _ report: ([UInt8]) -> Void) throws(TooLong) {
    var start = 0
    for index in bytes.indices {
      let byte = bytes[index]
      guard byte == 0x0A || byte == 0x0D else {
        endedWithCR = false
        continue
      }
      if byte == 0x0A, endedWithCR {
        (endedWithCR, start) = (false, index + 1)
        continue
      }
      try appendToLine(bytes.extracting(start..<index))
      (endedWithCR, start) = (byte == 0x0D, index + 1)
      handleLine(report)
      line.removeAll(keepingCapacity: true)
    }
    try appendToLine(bytes.extracting(start...))
  }

  private mutating func appendToLine(_ piece: Span<UInt8>) throws(TooLong) {
    guard line.count + data.count + piece.count <= Self.maximumBytes else { throw TooLong() }
    line.append(contentsOf: piece)
  }

  private mutating func handleLine(_ report: ([UInt8]) -> Void) {
    if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    isAtStart = false
    guard !line.isEmpty else { return dispatchEvent(report) }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    // Lines that start with a colon are comments.
    guard colon > 0 else { return }
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    switch line[..<colon] {
    case "data":
      data.append(contentsOf: value)
      data.append(0x0A)
    case "event": type = Array(value)
    case "id":
      if !value.contains(0), value.count <= Self.maximumIDBytes { id = Array(value) }
    case "retry":
      if (1...9).contains(value.count), value.allSatisfy(\.isASCIIDigit) {
        retryMilliseconds = value.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      }
    default: break
    }
  }

  private mutating func dispatchEvent(_ report: ([UInt8]) -> Void) {
    if let id { lastID = id }
    if !data.isEmpty, type.isEmpty || type == Array("message".utf8) {
      data.removeLast()
      // An event without data only sets the ID.
      if !data.isEmpty { report(data) }
    }
    data.removeAll(keepingCapacity: data.capacity < 1 << 20)
    type.removeAll()
  }
}

private func ~= (name: String, bytes: ArraySlice<UInt8>) -> Bool { bytes.elementsEqual(name.utf8) }
