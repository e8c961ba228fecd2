import Encoding

/// One answer, and whether it is sent as it should be.
struct Response: Sendable {
  /// What really goes out.
  enum Delivery: Sendable, Hashable {
    case whole
    /// The head promises all, half of the content follows, the connection ends.
    case truncated
    /// Without its content, in answer to HEAD (RFC 9110 section 9.3.2).
    case head
    /// Not a byte; the connection ends.
    case dropped
    /// The beginning of a text that whoever sends it never ends (RFC 9112 section 7.1).
    case endless
    /// All of it, in chunks of one byte.
    case crumbs
  }

  var status: Int
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  var delivery = Delivery.whole

  init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// No answer at all.
  static var dropped: Response {
    var response = Response(status: 500)
    response.delivery = .dropped
    return response
  }

  /// A JSON answer that nobody may store (RFC 6749 section 5.1).
  static func json(_ value: JSON, status: Int = 200) -> Response {
    Response(
      status: status,
      headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store"), ("Pragma", "no-cache")],
      body: value.serialized())
  }

  /// A plain sentence, for what is no part of a protocol.
  static func text(_ text: String, status: Int) -> Response {
    Response(
      status: status,
      headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
      body: Array((text + "\n").utf8))
  }

  /// The bytes to send: status line, header fields, content (RFC 9112 section 4).
  func serialized(date: Int, keepsAlive: Bool) -> [UInt8] {
    guard delivery != .dropped else { return [] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512 + body.count)
    bytes.append(utf8: "HTTP/1.1 \(status) \(Self.reason(status))\r\n")
    bytes.append(utf8: "Date: \(DateField.text(date))\r\n")
    for header in headers { bytes.append(utf8: "\(header.name): \(header.value)\r\n") }
    bytes.append(utf8: "X-Content-Type-Options: nosniff\r\n")
    // RFC 9110 section 8.6: no length for an answer without content.
    if isChunked {
      bytes.append(utf8: "Transfer-Encoding: chunked\r\n")
    } else if status != 204 {
      bytes.append(utf8: "Content-Length: \(body.count)\r\n")
    }
    bytes.append(utf8: "Connection: \(keepsAlive ? "keep-alive" : "close")\r\n\r\n")
    switch delivery {
    case .whole: bytes.append(contentsOf: body)
    case .truncated: bytes.append(contentsOf: body.prefix(body.count / 2))
    case .head, .dropped: break
    case .endless: Self.append(chunk: Array("{\"padding\":\"".utf8), to: &bytes)
    case .crumbs:
      for byte in body { Self.append(chunk: [byte], to: &bytes) }
      Self.append(chunk: [], to: &bytes)
    }
    return bytes
  }

  /// What an endless answer goes on with.
  static let endlessChunk = {
    var bytes: [UInt8] = []
    append(chunk: [UInt8](repeating: UInt8(ascii: "x"), count: 16_384), to: &bytes)
    return bytes
  }()

  private var isChunked: Bool { delivery == .endless || delivery == .crumbs }

  /// One without content is the last.
  private static func append(chunk: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(utf8: String(chunk.count, radix: 16) + "\r\n")
    bytes += chunk
    bytes.append(utf8: "\r\n")
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 302: "Found"
    case 303: "See Other"
    case 307: "Temporary Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 411: "Length Required"
    case 413: "Content Too Large"
    case 421: "Misdirected Request"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Status"
    }
  }
}
