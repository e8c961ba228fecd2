import Platform

/// One connection: reads requests and writes answers, in turn, until one side ends it.
///
/// It has a thread of its own, so a client that is slow, or is made to wait, holds up no other.
final class IssuerConnection {
  /// How long a client may take.
  struct Limits: Sendable {
    /// Between two requests.
    var idle = Duration.seconds(75)
    /// From the first byte of a request to its last.
    var request = Duration.seconds(10)
    /// To take an answer.
    var answer = Duration.seconds(30)
  }

  /// A request that cannot be read, with the status of the answer (RFC 9110 section 15, RFC 6585 section 5).
  private struct Unreadable: Error {
    let status: Int
    init(_ status: Int) { self.status = status }
  }

  /// The other side is gone or too slow, or all connections are to end.
  private struct Ended: Error {}

  private static let stopKey: UInt64 = 2
  /// Bytes of the request line and all header fields together, and their number.
  private static let headLimit = 16 * 1024
  private static let fieldLimit = 64
  private static let bodyLimit = 64 * 1024
  /// Of the endpoint that takes content of any kind, also in chunks.
  private static let echoLimit = 8 * 1024 * 1024

  private let socket: SharedDescriptor
  private let poller: Poller
  private let server: IssuerServer
  private var buffer: [UInt8] = []
  private var deadline = Instant.now

  init(_ socket: SharedDescriptor, _ server: IssuerServer) throws {
    self.socket = socket
    self.server = server
    poller = try Poller()
    try poller.add(socket.descriptor.raw, interest: .read, key: 1)
    try poller.add(server.stopSignal.raw, interest: .read, key: Self.stopKey)
  }

  /// Serves until the connection ends. An error of the socket just ends it.
  func serve() {
    while (try? serveOne()) == true {}
  }

  /// True when another request may follow.
  private func serveOne() throws -> Bool {
    let request: IssuerRequest
    do {
      request = try readRequest()
    } catch let error as Unreadable {
      try write(server.serialized(.text("This request cannot be read.", status: error.status), keepsAlive: false))
      return false
    }
    let start = Instant.now
    let answer = server.answer(request, pause: pause)
    let keepsAlive = request.keepsAlive && answer.delivery == .whole
    // Before the answer goes out, so that its reader finds the line.
    server.note(request, answer, took: start.duration(to: .now))
    try write(server.serialized(answer, keepsAlive: keepsAlive, withContent: request.method != "HEAD"))
    let end = Instant.now.advanced(by: server.limits.answer)
    let endless = IssuerAnswer.chunk([UInt8](repeating: UInt8(ascii: "x"), count: 16_384))
    while answer.delivery == .endless, Instant.now < end { try write(endless) }
    return keepsAlive
  }

  // MARK: Requests (RFC 9112)

  private func readRequest() throws -> IssuerRequest {
    deadline = Instant.now.advanced(by: server.limits.idle)
    if buffer.isEmpty { try fill() }
    deadline = Instant.now.advanced(by: server.limits.request)
    var request = try readHead()
    if request["expect"]?.lowercased() == "100-continue", buffer.isEmpty {
      try write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    request.body = try readContent(of: request)
    return request
  }

  private func readHead() throws -> IssuerRequest {
    var left = Self.headLimit
    let parts = try line(&left).split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, let method = ASCII.text(parts[0], ASCII.isToken),
      let target = ASCII.text(parts[1], ASCII.isVisible), target.utf8.first == UInt8(ascii: "/"),
      let version = ASCII.text(parts[2], ASCII.isVisible)
    else { throw Unreadable(400) }
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw Unreadable(505) }
    var fields: [(name: String, value: String)] = []
    while case let line = try line(&left), !line.isEmpty {
      guard fields.count < Self.fieldLimit else { throw Unreadable(431) }
      // No space before the colon, and no folded lines (section 5).
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = ASCII.text(line[..<colon], ASCII.isToken),
        line[(colon + 1)...].allSatisfy({ $0 == 0x09 || ASCII.isPrintable($0) })
      else { throw Unreadable(400) }
      fields.append((name.lowercased(), ASCII.trimmed(String(decoding: line[(colon + 1)...], as: UTF8.self))))
    }
    let pieces = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return IssuerRequest(
      method: method, path: pieces[0], query: pieces.count == 2 ? pieces[1] : nil, version: version, fields: fields)
  }

  /// Section 6: one length in digits, or chunks where content of any kind is taken, not both.
  private func readContent(of request: IssuerRequest) throws -> [UInt8] {
    let (codings, lengths) = (request.list("transfer-encoding"), request.values(of: "content-length"))
    let isEcho = request.path == "/echo"
    guard codings.isEmpty else {
      guard codings == ["chunked"], isEcho else { throw Unreadable(501) }
      guard lengths.isEmpty else { throw Unreadable(400) }
      return try chunks()
    }
    guard let text = lengths.first else {
      guard request.method != "POST" else { throw Unreadable(411) }
      return []
    }
    guard lengths.count == 1, let length = ASCII.number(text, in: 0...Int.max) else { throw Unreadable(400) }
    guard length <= (isEcho ? Self.echoLimit : Self.bodyLimit) else { throw Unreadable(413) }
    return try bytes(length)
  }

  /// Section 7.1. Extensions and trailer fields mean nothing here.
  private func chunks() throws -> [UInt8] {
    var content: [UInt8] = []
    while true {
      var left = 256
      let digits = try line(&left).prefix { $0 != UInt8(ascii: ";") }
      guard (1...8).contains(digits.count), digits.allSatisfy(ASCII.isAlphanumeric),
        let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
      else { throw Unreadable(400) }
      guard size <= Self.echoLimit - content.count else { throw Unreadable(413) }
      if size == 0 { break }
      content += try bytes(size)
      guard try line(&left).isEmpty else { throw Unreadable(400) }
    }
    var left = 4096
    while try !line(&left).isEmpty {}
    return content
  }

  private func bytes(_ count: Int) throws -> [UInt8] {
    while buffer.count < count { try fill() }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  /// A line without its CR LF; nothing else ends one (section 2.2).
  ///
  /// - Parameter left: How many bytes it and its end may take.
  private func line(_ left: inout Int) throws -> ArraySlice<UInt8> {
    var searched = 0
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        left -= end + 1
        guard left >= 0 else { throw Unreadable(431) }
        let line = buffer[..<end]
        buffer.removeFirst(end + 1)
        guard line.last == 0x0D, !line.dropLast().contains(0x0D) else { throw Unreadable(400) }
        return line.dropLast()
      }
      guard buffer.count <= left else { throw Unreadable(431) }
      searched = buffer.count
      try fill()
    }
  }

  // MARK: The socket

  private func fill() throws {
    let events = try poller.wait(until: deadline)
    guard !events.isEmpty, !events.contains(where: { $0.key == Self.stopKey }), try read() else { throw Ended() }
  }

  /// False at the end of the stream.
  private func read() throws -> Bool {
    do throws(SystemError) {
      return try socket.descriptor.read(into: &buffer, upTo: 4096) > 0
    } catch {
      guard error.isAgain else { throw error }
      return true
    }
  }

  /// Lets time pass; false when the client went away, sends too much ahead, or all is to end.
  private func pause(_ duration: Duration) -> Bool {
    let end = Instant.now.advanced(by: duration)
    while Instant.now < end {
      guard let events = try? poller.wait(until: end), !events.contains(where: { $0.key == Self.stopKey }),
        events.isEmpty || (buffer.count <= Self.bodyLimit && (try? read()) == true)
      else { return false }
    }
    return true
  }

  private func write(_ bytes: [UInt8]) throws {
    let deadline = Instant.now.advanced(by: server.limits.answer)
    var sent = 0
    while sent < bytes.count {
      do throws(SystemError) {
        sent += try socket.descriptor.write(bytes.span.extracting(sent..<bytes.count))
      } catch {
        let left = Instant.now.duration(to: deadline)
        guard error.isAgain, try socket.descriptor.waitUntilWritable(timeout: left) else { throw error }
      }
    }
  }
}
