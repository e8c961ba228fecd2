/// Puts content together that comes in chunks (RFC 9112 section 7.1).
struct ChunkedContent: Sendable {
  private enum Part: Sendable {
    case size
    case data(left: Int)
    case endOfData
    case trailer
  }

  /// Of the line with a size, and of all trailer fields together.
  private static let lineLimit = 256
  private static let trailerLimit = 4096

  private var part = Part.size
  private var content: [UInt8] = []
  private var trailerCount = 0

  /// Takes what it can from the buffer.
  ///
  /// - Returns: The content when it is complete, else nil. Then it is ready for the next.
  mutating func read(from buffer: inout [UInt8], limit: Int) throws(RequestError) -> [UInt8]? {
    var place = 0
    defer { buffer.removeFirst(place) }
    while true {
      switch part {
      case .size:
        guard let line = try Self.line(of: buffer, from: &place, limit: Self.lineLimit) else { return nil }
        let size = try Self.size(line)
        guard size <= limit - content.count else { throw .bodyTooLarge }
        part = size == 0 ? .trailer : .data(left: size)
      case .data(let left):
        let taken = min(left, buffer.count - place)
        content += buffer[place..<(place + taken)]
        place += taken
        guard taken == left else {
          part = .data(left: left - taken)
          return nil
        }
        part = .endOfData
      case .endOfData:
        guard let line = try Self.line(of: buffer, from: &place, limit: Self.lineLimit) else { return nil }
        guard line.isEmpty else { throw .malformed }
        part = .size
      case .trailer:
        guard let line = try Self.line(of: buffer, from: &place, limit: Self.trailerLimit) else { return nil }
        trailerCount += line.count
        guard trailerCount <= Self.trailerLimit else { throw .headTooLarge }
        if line.isEmpty {
          defer { self = ChunkedContent() }
          return content
        }
      }
    }
  }

  /// A line without its CR LF; nil when its end is not here yet.
  private static func line(
    of buffer: [UInt8], from place: inout Int, limit: Int
  ) throws(RequestError) -> ArraySlice<UInt8>? {
    let rest = buffer[place...]
    guard let end = rest.prefix(limit).firstIndex(of: ASCII.lineFeed) else {
      guard rest.count < limit else { throw .malformed }
      return nil
    }
    guard end > rest.startIndex, buffer[end - 1] == ASCII.carriageReturn else { throw .malformed }
    defer { place = end + 1 }
    return rest[..<(end - 1)]
  }

  /// Hexadecimal digits; an extension after a semicolon means nothing here (section 7.1.1).
  private static func size(_ line: ArraySlice<UInt8>) throws(RequestError) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") }
    guard (1...8).contains(digits.count), digits.allSatisfy(ASCII.isHexadecimal),
      let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw .malformed }
    return size
  }
}
