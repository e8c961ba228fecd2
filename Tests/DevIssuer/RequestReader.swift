/// Cuts a stream of bytes into requests. Holds no descriptor and waits for nothing.
struct RequestReader: Sendable {
  /// The request line and all header fields together.
  static let headLimit = 16 * 1024
  static let bodyLimit = 64 * 1024
  /// Of the endpoint that takes content of any kind.
  static let echoLimit = 8 * 1024 * 1024

  private var buffer: [UInt8] = []
  private var head: RequestHead?
  private var chunks = ChunkedContent()
  /// Bytes at the start of the buffer that hold no end of a head.
  private var scanned = 0
  private var wasToldToContinue = false

  /// No byte of a further request is here.
  var isIdle: Bool { head == nil && buffer.isEmpty }

  /// Bytes that are held and not yet part of a finished request.
  var heldCount: Int { buffer.count }

  mutating func append(_ bytes: [UInt8]) {
    buffer.append(contentsOf: bytes)
  }

  /// The next request that is here as a whole; nil when more bytes are needed.
  mutating func next() throws(RequestError) -> Request? {
    if head == nil { head = try nextHead() }
    guard let head, let body = try nextBody(head) else { return nil }
    let request = Request(head: head, body: body)
    self.head = nil
    wasToldToContinue = false
    return request
  }

  /// True once for a request whose client waits before it sends the content.
  mutating func takeContinue() -> Bool {
    guard let head, head.expectsContinue, buffer.isEmpty, !wasToldToContinue else { return false }
    wasToldToContinue = true
    return true
  }

  static func bodyLimit(path: String) -> Int {
    Endpoint(path: path) == .echo ? echoLimit : bodyLimit
  }

  private mutating func nextBody(_ head: RequestHead) throws(RequestError) -> [UInt8]? {
    if head.isChunked { return try chunks.read(from: &buffer, limit: Self.bodyLimit(path: head.path)) }
    guard buffer.count >= head.contentLength else { return nil }
    let body = Array(buffer.prefix(head.contentLength))
    buffer.removeFirst(head.contentLength)
    return body
  }

  private mutating func nextHead() throws(RequestError) -> RequestHead? {
    guard let end = endOfHead() else {
      guard buffer.count <= Self.headLimit else { throw .headTooLarge }
      scanned = max(0, buffer.count - 3)
      return nil
    }
    guard end <= Self.headLimit else { throw .headTooLarge }
    let head = try RequestHead(parsing: buffer[..<end])
    buffer.removeFirst(end + 4)
    scanned = 0
    return head
  }

  /// Where CR LF CR LF starts.
  private func endOfHead() -> Int? {
    var index = scanned
    while index + 3 < buffer.count {
      if buffer[index] == ASCII.carriageReturn, buffer[index + 1] == ASCII.lineFeed,
        buffer[index + 2] == ASCII.carriageReturn, buffer[index + 3] == ASCII.lineFeed
      {
        return index
      }
      index += 1
    }
    return nil
  }
}
