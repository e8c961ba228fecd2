import Encoding
import Platform

/// One connection: reads requests and writes answers.
final class IssuerConnection {
  /// How long a client may take.
  struct Limits: Sendable {
    /// Between two requests.
    var idle = Duration.seconds(75)
    /// From the first byte of a request to its last.
    var request = Duration.seconds(10)
  }

  /// The other side is gone or too slow, or all connections are to end.
  private struct Ended: Error {}

  /// Seconds in which a client must take a part of an answer.
  private static let writeSeconds = 30
  private static let stopKey: UInt64 = 2
  /// Bytes of the request line and all header fields together.
  private static let headLimit = 16 * 1024
  private static let bodyLimit = 64 * 1024
  /// Of the endpoint that takes content of any kind, also in chunks.
  private static let echoLimit = 8 * 1024 * 1024

  private let socket: SharedDescriptor
  private let poller: Poller
  private let limits: Limits
  private var buffer: [UInt8] = []
  private var deadline = Instant.now

  /// - Parameter stop: A descriptor that becomes readable when all connections are to end.
  init(_ socket: SharedDescriptor, _ limits: Limits, stop: Int32) throws {
    self.socket = socket
    self.limits = limits
    try socket.descriptor.setNonBlocking(false)
    try UnixSocket.setTimeouts(socket.descriptor, seconds: Self.writeSeconds)
    poller = try Poller()
    try poller.add(socket.descriptor.raw, interest: .read, key: 1)
    try poller.add(stop, interest: .read, key: Self.stopKey)
  }

  func write(_ bytes: [UInt8]) throws { try socket.descriptor.writeAll(bytes.span) }

  /// Lets time pass.
  ///
  /// - Throws: When the client goes away or sends too much ahead, or all is to end.
  func pause(_ duration: Duration) throws {
    deadline = Instant.now.advanced(by: duration)
    while try receive() {
      guard buffer.count <= Self.bodyLimit else { throw Ended() }
    }
  }

  /// The next request (RFC 9112).
  ///
  /// - Throws: ``Refusal`` for one that is to be refused.
  func readRequest() throws -> IssuerRequest {
    deadline = Instant.now.advanced(by: limits.idle)
    if buffer.isEmpty { try fill() }
    deadline = Instant.now.advanced(by: limits.request)
    var request = try IssuerRequest(head: try take(through: "\r\n\r\n", limit: Self.headLimit))
    if request["expect"]?.lowercased() == "100-continue", buffer.isEmpty {
      try write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    request.body = try readContent(of: request)
    return request
  }

  /// Section 6: one length in digits, or chunks where content of any kind is taken, not both.
  private func readContent(of request: IssuerRequest) throws -> [UInt8] {
    let (codings, lengths) = (request.list("transfer-encoding"), request.values(of: "content-length"))
    let isEcho = request.path == "/echo"
    if !codings.isEmpty {
      try check(codings == ["chunked"] && isEcho, status: 501)
      try check(lengths.isEmpty, status: 400)
      return try readChunks()
    }
    try check(request.method != "POST" || !lengths.isEmpty, status: 411)
    try check(lengths.count <= 1, status: 400)
    let length = try check(ASCII.number(lengths.first ?? "0", in: 0...Int.max), status: 400)
    try check(length <= (isEcho ? Self.echoLimit : Self.bodyLimit), status: 413)
    return try take(length)
  }

  /// Section 7.1. Extensions and trailer fields mean nothing here.
  private func readChunks() throws -> [UInt8] {
    var content: [UInt8] = []
    while true {
      let line = String(decoding: try take(through: "\r\n", limit: 256), as: UTF8.self)
      let digits = ASCII.halves(line, at: ";").0
      let isNumber = (1...8).contains(digits.utf8.count) && digits.utf8.allSatisfy(\.isASCIIAlphanumeric)
      let size = try check(isNumber ? Int(digits, radix: 16) : nil, status: 400)
      try check(size <= Self.echoLimit - content.count, status: 413)
      if size == 0 { break }
      content += try take(size)
      try check(take(2) == Array("\r\n".utf8), status: 400)
    }
    var left = 4096
    while case let line = try take(through: "\r\n", limit: left), !line.isEmpty { left -= line.count + 2 }
    return content
  }

  private func take(_ count: Int) throws -> [UInt8] {
    while buffer.count < count { try fill() }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  /// The bytes before a mark, which is taken with them.
  ///
  /// - Parameter limit: How many bytes there may be, with the mark.
  private func take(through mark: String, limit: Int) throws -> [UInt8] {
    while true {
      let found = buffer.firstRange(of: Array(mark.utf8))
      guard found?.upperBound ?? buffer.count <= limit else { throw Refusal(unreadable: 431) }
      if let found { return try take(found.upperBound).dropLast(found.count) }
      try fill()
    }
  }

  private func fill() throws {
    guard try receive() else { throw Ended() }
  }

  /// Appends what has come; false when the time is over.
  private func receive() throws -> Bool {
    let events = try poller.wait(until: deadline)
    if events.isEmpty { return false }
    guard !events.contains(where: { $0.key == Self.stopKey }),
      try socket.descriptor.read(into: &buffer, upTo: 16_384) > 0
    else { throw Ended() }
    return true
  }
}
