internal import Crypto
internal import Encoding
internal import OAuth

/// Parses an HTTP/1.1 response (RFC 9112) incrementally. Keeps the body even if head or framing is invalid, and records
/// the first problem.
struct ResponseReader: ~Copyable {
  /// Where the next byte belongs.
  private enum Position {
    case start, statusLine, fields
    /// With this many bytes left or, if nil, up to the connection's end.
    case content(left: Int?)
    case chunkSize, chunkExtension, chunk(left: Int), chunkEnd
    /// Ended according to the framing.
    case ended
  }

  /// Longer header lines are truncated.
  private static let maximumLineBytes = 16_384
  private static let maximumChunkDigits = 8

  /// Nil before the status line.
  private(set) var status: Int?
  private(set) var headers = HeaderCollector(dropsExcess: true)
  private(set) var body: SecretBuffer
  private(set) var hasBegun = false
  /// The first defect.
  private(set) var problem: HTTPFailure.Code?
  /// Detects the end of a JSON object in the body.
  private var object = LooseJSONObject()
  private var position = Position.start
  private var line: [UInt8] = []
  private var isLineCut = false
  private var digits: [UInt8] = []
  private let bodyLimit: Int

  init(into body: consuming SecretBuffer, limit: Int) {
    self.body = body
    bodyLimit = limit
  }

  /// Whether to stop reading.
  var isComplete: Bool { hasFramedEnd && !mayContinue || problem == .tooLarge }

  /// Whether the response has ended according to its framing.
  var hasFramedEnd: Bool { if case .ended = position { true } else { false } }

  /// Whether the body is a complete JSON object, regardless of framing.
  var hasCompleteObject: Bool { object.extent == .whole }

  /// Whether more content may follow despite the framing, since a success has no or only an incomplete JSON object.
  private var mayContinue: Bool {
    guard let status, (200..<300).contains(status), problem != .tooLarge else { return false }
    return object.extent == .none || object.extent == .open
  }

  mutating func read(_ bytes: Span<UInt8>) {
    hasBegun = hasBegun || !bytes.isEmpty
    var index = 0
    while index < bytes.count {
      let rest = bytes.extracting(index...)
      switch position {
      case .content(let left):
        let count = min(left ?? rest.count, rest.count)
        appendToBody(rest.extracting(..<count))
        index += count
        if let left { position = left == count ? .ended : .content(left: left - count) }
      case .chunk(let left):
        let count = min(left, rest.count)
        appendToBody(rest.extracting(..<count))
        index += count
        position = left == count ? .chunkEnd : .chunk(left: left - count)
      case .ended:
        guard mayContinue else { return }
        ignoreFraming(rest)
        return
      default:
        if !read(bytes[index]) {
          ignoreFraming(rest)
          return
        }
        index += 1
      }
    }
  }

  /// - Parameter isAnnounced: Whether the server sent `close_notify`.
  mutating func end(isAnnounced: Bool) {
    switch position {
    case .ended: break
    case .content(left: nil) where isAnnounced || body.count > 0: break
    default: recordProblem(.receive)
    }
  }

  /// Records a problem if it is the first.
  mutating func recordProblem(_ code: HTTPFailure.Code) { problem = problem ?? code }

  /// Call once.
  mutating func takeBody() -> SecretBuffer {
    var taken = SecretBuffer(capacity: 0)
    swap(&taken, &body)
    return taken
  }

  // MARK: Bytes of the head and between chunks

  /// Reads a byte of head or framing. Returns false if it violates the syntax, so that content begins with it.
  private mutating func read(_ byte: UInt8) -> Bool {
    switch position {
    case .start:
      if byte == 0x0D || byte == 0x0A { return true }
      // Content may follow without any head.
      guard byte | 0x20 == UInt8(ascii: "h") else { return false }
      position = .statusLine
      appendToLine(byte)
    case .statusLine, .fields:
      appendToLine(byte)
      if byte == 0x0A { endLine() }
    case .chunkSize:
      if HexDigit.value(byte) != nil, digits.count < Self.maximumChunkDigits {
        digits.append(byte)
      } else if byte == 0x0A {
        return endChunkSize()
      } else if byte == UInt8(ascii: ";") || byte == 0x20 || byte == 0x09 || byte == 0x0D {
        guard !digits.isEmpty else { return false }
        position = .chunkExtension
      } else {
        return false
      }
    case .chunkExtension: if byte == 0x0A { return endChunkSize() }
    case .chunkEnd:
      if byte == 0x0A { position = .chunkSize } else if byte != 0x0D { return false }
    case .content, .chunk, .ended: return false
    }
    return true
  }

  private mutating func appendToLine(_ byte: UInt8) {
    if line.count < Self.maximumLineBytes || byte == 0x0A { line.append(byte) } else { isLineCut = true }
  }

  private mutating func endLine() {
    let (line, wasCut) = (line, isLineCut)
    (self.line, isLineCut) = ([], false)
    if case .statusLine = position {
      status = Self.status(line)
      if status == nil { recordProblem(.malformed) }
      _ = headers.receive(line.span)
      position = .fields
      return
    }
    let wasFinished = headers.isFinished
    // The truncated part of a field may change its meaning.
    if wasCut { return }
    if line.contains(0) { return recordProblem(.malformed) }
    if let code = headers.receive(line.span) { recordProblem(code) }
    if headers.isFinished, !wasFinished { beginContent() }
  }

  /// Three digits after the version (RFC 9112 section 4).
  private static func status(_ line: [UInt8]) -> Int? {
    let words = line.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
    guard words.count >= 2, String(decoding: words[0], as: UTF8.self).uppercased().hasPrefix("HTTP/"),
      words[1].count == 3, words[1].allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return words[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func beginContent() {
    if let status, status < 200 {
      position = .statusLine
      return self.status = nil
    }
    if let coding = headers.values(of: "transfer-encoding").last.map({ String(decoding: $0, as: UTF8.self) }) {
      switch coding.lowercased() {
      case "chunked": position = .chunkSize
      case "identity": position = .content(left: nil)
      default:
        recordProblem(.malformed)
        position = .content(left: nil)
      }
      return
    }
    position = contentPosition(headers.values(of: "content-length"))
    if status == 204 || status == 304 { position = .ended }
  }

  private mutating func contentPosition(_ values: [[UInt8]]) -> Position {
    guard let first = values.first else { return .content(left: nil) }
    guard values.allSatisfy({ $0 == first }), let length = Int(String(decoding: first, as: UTF8.self)), length >= 0
    else {
      recordProblem(.malformed)
      return .content(left: nil)
    }
    return length == 0 ? .ended : .content(left: length)
  }

  /// Returns false if the size is invalid.
  private mutating func endChunkSize() -> Bool {
    guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else { return false }
    digits = []
    // Trailers are dropped, so the content is complete.
    position = size == 0 ? .ended : .chunk(left: size)
    return true
  }

  // MARK: Content

  /// Treats everything from the invalid framing on as content. `rest` is the unread part of the input.
  private mutating func ignoreFraming(_ rest: Span<UInt8>) {
    recordProblem(.malformed)
    position = .content(left: nil)
    let read = digits
    digits = []
    appendToBody(read.span)
    appendToBody(rest)
  }

  private mutating func appendToBody(_ bytes: Span<UInt8>) {
    let count = min(bytes.count, bodyLimit - body.count)
    if count < bytes.count { recordProblem(.tooLarge) }
    let kept = bytes.extracting(..<count)
    object.read(kept)
    body.append(contentsOf: kept)
  }
}
