internal import Encoding

/// The head of an HTTP/1.1 request (RFC 9112). Rejects anything that parsers could interpret differently.
struct HTTPRequestHead: Equatable {
  let method: String
  /// In origin form, as received.
  let target: String
  let fields: [Field]
  let content: Content
  let expectsContinue: Bool
  /// Whether to close after the response, as the client requested.
  let closesConnection: Bool

  struct Field: Equatable {
    let name: String
    let value: String

    /// `other` must be in lowercase.
    func isNamed(_ other: String) -> Bool { name.lowercased().hasSameBytes(as: other) }
  }

  /// How the content's end is found (RFC 9112 section 6).
  enum Content: Equatable {
    case none
    case length(Int)
    case chunked
  }

  enum Problem: Error, Equatable {
    case malformed
    case tooLarge
    /// Another protocol, an upgrade, gRPC, or an unsupported expectation.
    case unsupported
  }

  static let maximumBytes = 64 << 10
  private static let maximumFields = 100
  /// Fits an `Int`.
  private static let maximumDigits = 15

  /// The head's length with its empty line; nil if incomplete. `start` bytes were already searched.
  static func length(in bytes: [UInt8], from start: Int) throws(Problem) -> Int? {
    let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
    var index = max(0, start - 3)
    while index + 4 <= min(bytes.count, maximumBytes) {
      if bytes[index] == 0x0D, bytes[index..<index + 4].elementsEqual(end) { return index + 4 }
      index += 1
    }
    if bytes.count >= maximumBytes { throw .tooLarge }
    return nil
  }

  /// Parses a complete head, including its empty line.
  init(_ bytes: ArraySlice<UInt8>) throws(Problem) {
    var lines = try Self.lines(bytes.dropLast(4))
    guard let first = lines.first else { throw .malformed }
    // The start of an HTTP/2 connection, as for gRPC (RFC 9113 section 3.4).
    if first.elementsEqual("PRI * HTTP/2.0".utf8) { throw .unsupported }
    (method, target) = try Self.requestLine(lines.removeFirst())
    guard lines.count <= Self.maximumFields else { throw .tooLarge }
    var fields: [Field] = []
    for line in lines { fields.append(try Self.field(line)) }
    self.fields = fields
    func values(_ name: String) -> [String] { fields.filter { $0.isNamed(name) }.map(\.value) }
    guard values("host").count == 1 else { throw .malformed }
    content = try Self.content(values("content-length"), values("transfer-encoding"))
    let options = values("connection").flatMap { $0.lowercased().split(separator: ",").map { $0.filter { $0 != " " } } }
    guard values("upgrade").isEmpty, !options.contains("upgrade"), values("http2-settings").isEmpty else {
      throw .unsupported
    }
    // gRPC needs trailer fields.
    guard !values("content-type").contains(where: Self.isGRPC) else { throw .unsupported }
    let expectations = values("expect").map { $0.lowercased() }
    guard expectations.allSatisfy({ $0 == "100-continue" }) else { throw .unsupported }
    expectsContinue = !expectations.isEmpty && content != .none
    closesConnection = options.contains("close")
  }

  private static func isGRPC(_ type: String) -> Bool {
    let (type, name) = (type.lowercased(), "application/grpc")
    return type.utf8.starts(with: name.utf8)
      && type.utf8.dropFirst(name.utf8.count).first.map { "+; ".utf8.contains($0) } ?? true
  }

  /// Splits a head at CR LF. Neither character may appear elsewhere.
  private static func lines(_ bytes: ArraySlice<UInt8>) throws(Problem) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var index = start
    while index < bytes.endIndex {
      guard bytes[index] == 0x0D || bytes[index] == 0x0A else {
        index += 1
        continue
      }
      guard bytes[index] == 0x0D, index + 1 < bytes.endIndex, bytes[index + 1] == 0x0A else { throw .malformed }
      lines.append(bytes[start..<index])
      start = index + 2
      index = start
    }
    lines.append(bytes[start...])
    return lines
  }

  /// Parses `METHOD SP TARGET SP HTTP/1.1` to method and target in origin form (RFC 9112 section 3).
  private static func requestLine(_ line: ArraySlice<UInt8>) throws(Problem) -> (String, String) {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2].elementsEqual("HTTP/1.1".utf8), isToken(parts[0]),
      parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy({ (0x21...0x7E).contains($0) }),
      !parts[1].contains(UInt8(ascii: "#"))
    else { throw .malformed }
    return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
  }

  /// Parses `NAME:VALUE` with a token as name (RFC 9110 section 5.1), without folding or control characters.
  private static func field(_ line: ArraySlice<UInt8>) throws(Problem) -> Field {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else { throw .malformed }
    let value = line[(colon + 1)...].trimming()
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
      let text = String(validating: value, as: UTF8.self)
    else { throw .malformed }
    return Field(name: String(decoding: line[..<colon], as: UTF8.self), value: text)
  }

  /// RFC 9110 section 5.6.2.
  private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.count <= 256
      && bytes.allSatisfy { $0.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains($0) }
  }

  /// Parses `Content-Length` or `Transfer-Encoding`: one length or `chunked`, not both (RFC 9112 section 6).
  private static func content(_ lengths: [String], _ codings: [String]) throws(Problem) -> Content {
    if codings.isEmpty, lengths.isEmpty { return .none }
    if lengths.isEmpty, codings.count == 1, codings[0].lowercased() == "chunked" {
      return .chunked
    }
    guard codings.isEmpty, lengths.count == 1, (1...maximumDigits).contains(lengths[0].utf8.count),
      lengths[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let length = Int(lengths[0])
    else { throw .malformed }
    return length == 0 ? .none : .length(length)
  }
}

/// Parses chunked content (RFC 9112 section 7.1). Extensions and trailer fields are errors.
struct HTTPChunks {
  enum Problem: Error { case malformed }

  private enum State {
    /// Before a chunk's size.
    case size
    /// In a chunk with this many bytes left.
    case data(left: Int)
    /// Before the line end after a chunk.
    case dataEnd
    /// Before the empty line at the end.
    case trailer
    case ended
  }

  private var state = State.size
  private static let maximumDigits = 8

  var hasEnded: Bool { if case .ended = state { true } else { false } }

  /// Removes parsed bytes from `bytes` and returns up to `most` bytes of content.
  mutating func consume(_ bytes: inout [UInt8], upTo most: Int) throws(Problem) -> [UInt8] {
    var content: [UInt8] = []
    var used = 0
    defer { bytes.removeFirst(used) }
    loop: while content.count < most {
      let rest = bytes[used...]
      switch state {
      case .size, .trailer, .dataEnd:
        guard let end = rest.firstIndex(of: 0x0A) else {
          if rest.count > Self.maximumDigits + 1 { throw .malformed }
          break loop
        }
        guard end > used, bytes[end - 1] == 0x0D else { throw .malformed }
        let line = bytes[used..<(end - 1)]
        used = end + 1
        try parseLine(line)
        if hasEnded { break loop }
      case .data(let left):
        let count = min(left, rest.count, most - content.count)
        guard count > 0 else { break loop }
        content += rest.prefix(count)
        used += count
        state = count == left ? .dataEnd : .data(left: left - count)
      case .ended: break loop
      }
    }
    return content
  }

  private mutating func parseLine(_ line: ArraySlice<UInt8>) throws(Problem) {
    switch state {
    case .dataEnd:
      guard line.isEmpty else { throw .malformed }
      state = .size
    case .trailer:
      guard line.isEmpty else { throw .malformed }
      state = .ended
    default:
      guard (1...Self.maximumDigits).contains(line.count) else { throw .malformed }
      var size = 0
      for byte in line {
        guard let digit = HexDigit.value(byte) else { throw .malformed }
        size = size << 4 | Int(digit)
      }
      state = size == 0 ? .trailer : .data(left: size)
    }
  }
}
