/// The request line and the header fields (RFC 9112 section 3).
struct RequestHead: Sendable, Hashable {
  let method: Request.Method
  /// The method as it came.
  let methodName: String
  let path: String
  let query: String?
  let headers: HeaderFields
  /// Bytes of content that follow.
  let contentLength: Int
  /// The content comes in chunks, and the length is not known yet (RFC 9112 section 7.1).
  let isChunked: Bool
  let keepsAlive: Bool
  /// The client waits for a go-ahead before it sends the content (RFC 9110 section 10.1.1).
  let expectsContinue: Bool

  /// Reads the head without the empty line that ends it. Lines end with CR LF and nothing else.
  init(parsing bytes: ArraySlice<UInt8>) throws(RequestError) {
    var lines = try Self.lines(of: bytes)
    let requestLine = lines.removeFirst()
    var headers = HeaderFields()
    for line in lines { try headers.append(line: line) }
    try self.init(requestLine: requestLine, headers: headers)
  }

  private init(requestLine: ArraySlice<UInt8>, headers: HeaderFields) throws(RequestError) {
    let parts = requestLine.split(separator: ASCII.space, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].allSatisfy(ASCII.isToken), !parts[0].isEmpty,
      let method = ASCII.text(parts[0], allowing: ASCII.isToken),
      let target = ASCII.text(parts[1], allowing: ASCII.isVisible), target.utf8.first == UInt8(ascii: "/"),
      let version = ASCII.text(parts[2], allowing: ASCII.isVisible)
    else { throw .malformed }
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw .versionNotSupported }

    let pieces = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.method = Request.Method(method)
    methodName = method
    path = String(pieces[0])
    query = pieces.count == 2 ? String(pieces[1]) : nil
    self.headers = headers
    isChunked = try Self.isChunked(headers, path: path)
    contentLength = isChunked ? 0 : try Self.contentLength(headers, method: self.method, path: path)
    let connection = headers.list("connection")
    keepsAlive =
      version == "HTTP/1.1" ? !connection.contains("close") : connection.contains("keep-alive")
    expectsContinue = headers["expect"]?.lowercased() == "100-continue"
  }

  /// Chunks are understood where content of any kind is taken; a length beside them is refused
  /// (RFC 9112 section 6.1).
  private static func isChunked(_ headers: HeaderFields, path: String) throws(RequestError) -> Bool {
    let codings = headers.list("transfer-encoding")
    guard !codings.isEmpty else { return false }
    guard codings == ["chunked"], Endpoint(path: path) == .echo else { throw .transferCodingNotSupported }
    guard headers.values(of: "content-length").isEmpty else { throw .malformed }
    return true
  }

  /// RFC 9112 section 6.2: one length, in digits.
  private static func contentLength(
    _ headers: HeaderFields, method: Request.Method, path: String
  ) throws(RequestError) -> Int {
    let values = headers.values(of: "content-length")
    guard let value = values.first else {
      guard method != .post else { throw .lengthRequired }
      return 0
    }
    guard values.count == 1, let length = ASCII.number(value, in: 0...Int.max) else { throw .malformed }
    guard length <= RequestReader.bodyLimit(path: path) else { throw .bodyTooLarge }
    return length
  }

  private static func lines(of bytes: ArraySlice<UInt8>) throws(RequestError) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    for piece in bytes.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false) {
      let isLast = piece.endIndex == bytes.endIndex
      guard isLast || piece.last == ASCII.carriageReturn else { throw .malformed }
      let line = isLast ? piece : piece.dropLast()
      guard !line.isEmpty, !line.contains(ASCII.carriageReturn) else { throw .malformed }
      lines.append(line)
    }
    return lines
  }
}
