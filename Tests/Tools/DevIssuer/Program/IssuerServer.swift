import Encoding
import Platform

/// The issuer on a port of 127.0.0.1. Each connection has a thread, so that a slow client does not delay others.
final class IssuerServer: Sendable {
  /// Further connections get a 503.
  static let connectionLimit = 256

  private static let listenerKey: UInt64 = 1

  let port: UInt16
  let issuer: Monitor<DevelopmentIssuer>
  private let documents: ClientDocuments
  private let limits: IssuerConnection.Limits
  private let stopSignal: EventCounter
  private let listener: FileDescriptor
  private let openCount = Monitor(0)
  /// Called with a line for each request.
  private let log: (@Sendable (String) -> Void)?

  /// Starts to listen. Connections wait until ``serve(untilReadable:)``.
  ///
  /// - Parameters:
  ///   - clientKeys: The keys of the client that signs.
  ///   - platformKeys: The keys of the platform whose assertions are accepted.
  ///   - authorities: Certificate authorities, in PEM, for documents published by clients.
  init(
    _ settings: IssuerSettings, clientSecret: String, clientKeys: JSON? = nil, platformKeys: JSON? = nil,
    authorities: [UInt8]? = nil,
    clock: any TimeSource = SystemTime(),
    limits: IssuerConnection.Limits = IssuerConnection.Limits(), log: (@Sendable (String) -> Void)? = nil
  ) throws {
    listener = try UnixSocket.listenLoopback(port: UInt16(clamping: settings.number("--port")))
    port = try UnixSocket.localPort(listener)
    stopSignal = try EventCounter()
    issuer = Monitor(try DevelopmentIssuer(settings, port: port, clientSecret, clientKeys, platformKeys, clock))
    documents = try ClientDocuments(authorities: authorities)
    self.limits = limits
    self.log = log
  }

  /// Ends ``serve(untilReadable:)`` and all connections. Thread-safe; may be repeated.
  func stop() { stopSignal.signal() }

  /// Accepts connections until ``stop()`` or until `other` becomes readable. Then waits up to two seconds for the
  /// connections to end.
  func serve(untilReadable other: Int32? = nil) throws {
    let poller = try Poller()
    try poller.add(listener.raw, interest: .read, key: Self.listenerKey)
    for descriptor in [stopSignal.raw, other].compactMap(\.self) {
      try poller.add(descriptor, interest: .read, key: 2)
    }
    while try poller.wait().allSatisfy({ $0.key == Self.listenerKey }) {
      // The system may lack resources for the connection.
      if (try? acceptOne()) == nil { Threads.sleep(for: .milliseconds(50)) }
    }
    stop()
    _ = openCount.wait(.seconds(2)) { $0 == 0 ? true : nil }
  }

  private func acceptOne() throws {
    let socket = SharedDescriptor(try UnixSocket.accept(listener))
    issuer.withLock { $0.count(.connections) }
    guard openCount.withLock({ $0 }) < Self.connectionLimit else {
      _ = try socket.descriptor.write(serialized(.text("Too many connections.", status: 503), keepsAlive: false).span)
      return
    }
    try Threads.start(name: "connection") { [self] in
      openCount.update { $0 += 1 }
      try? serve(try IssuerConnection(socket, limits, stop: stopSignal.raw))
      openCount.update { $0 -= 1 }
    }
  }

  private func serve(_ connection: IssuerConnection) throws {
    var keepsAlive = true
    while keepsAlive {
      do {
        let request = try connection.readRequest()
        let start = Instant.now
        let answer = answer(request, connection)
        keepsAlive = request.keepsAlive && answer.delivery == .whole
        // Before the response, so that its reader finds the line.
        note(request, answer, took: start.duration(to: .now))
        try connection.write(serialized(answer, keepsAlive: keepsAlive, withContent: request.method != "HEAD"))
        let chunk = IssuerAnswer.chunk([UInt8](repeating: UInt8(ascii: "x"), count: 16_384))
        let end = Instant.now.advanced(by: .seconds(30))
        while answer.delivery == .endless, Instant.now < end { try connection.write(chunk) }
      } catch let refusal as Refusal {
        keepsAlive = false
        try connection.write(serialized(refusal.answer, keepsAlive: false))
      }
    }
  }

  /// Responds after the configured delays, unless the client disconnects meanwhile.
  private func answer(_ request: IssuerRequest, _ connection: IssuerConnection) -> IssuerAnswer {
    var waited = 0
    while let wait = issuer.withLock({ $0.wait(before: request, waited: waited) }) {
      guard (try? connection.pause(.milliseconds(wait))) != nil else {
        return IssuerAnswer(status: 500, delivery: .drop)
      }
      waited += wait
    }
    let document = issuer.withLock { $0.documentWanted(for: request) }.map(documents.fetch)
    return issuer.withLock { $0.answer(request, document) }
  }

  private func serialized(_ answer: IssuerAnswer, keepsAlive: Bool, withContent: Bool = true) -> [UInt8] {
    answer.serialized(date: issuer.withLock { $0.wall }, keepsAlive: keepsAlive, withContent: withContent)
  }

  /// Logs a line without query, header fields and content, and therefore without tokens and codes.
  private func note(_ request: IssuerRequest, _ answer: IssuerAnswer, took: Duration) {
    guard let log else { return }
    let status = answer.delivery == .whole ? "\(answer.status)" : "cut"
    let tenths = took.saturatingNanoseconds / 100_000
    let time = Timestamp.rfc3339(issuer.withLock { $0.wall })
    log("\(time) \(request.method) \(request.path) \(status) \(tenths / 10).\(tenths % 10) ms\n")
  }
}

final class IssuerConnection {
  struct Limits: Sendable {
    /// Between two requests.
    var idle = Duration.seconds(75)
    /// From the first to the last byte of a request.
    var request = Duration.seconds(10)
  }

  /// The connection has ended, or is too slow.
  private struct Ended: Error {}

  /// The time for reading a part of a response.
  private static let writeSeconds = 30
  private static let stopKey: UInt64 = 2
  /// The maximum size of the request line and all header fields, in bytes.
  private static let headLimit = 16 * 1024
  private static let bodyLimit = 64 * 1024
  /// In bytes, for the endpoint that accepts any content, including chunks.
  private static let echoLimit = 8 * 1024 * 1024

  private let socket: SharedDescriptor
  private let poller: Poller
  private let limits: Limits
  private var buffer: [UInt8] = []
  private var deadline = Instant.now

  /// - Parameter stop: A descriptor that becomes readable when all connections must end.
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

  /// Throws if the client disconnects or sends too much in advance, or all connections must end.
  func pause(_ duration: Duration) throws {
    deadline = Instant.now.advanced(by: duration)
    while try receive() {
      guard buffer.count <= Self.bodyLimit else { throw Ended() }
    }
  }

  /// Reads the next request (RFC 9112).
  ///
  /// - Throws: ``Refusal`` for an invalid one.
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

  /// Reads the content (section 6): with a length or, if any content is accepted, in chunks, but not both.
  private func readContent(of request: IssuerRequest) throws -> [UInt8] {
    let (codings, lengths) = (request.list("transfer-encoding"), request.values(of: "content-length"))
    let isEcho = request.path == "/echo"
    if !codings.isEmpty {
      if codings != ["chunked"] || !isEcho { throw Refusal(unreadable: 501) }
      if !lengths.isEmpty { throw Refusal(unreadable: 400) }
      return try readChunks()
    }
    if request.method == "POST", lengths.isEmpty { throw Refusal(unreadable: 411) }
    guard lengths.count <= 1, let length = ASCII.number(lengths.first ?? "0", in: 0...Int.max) else {
      throw Refusal(unreadable: 400)
    }
    if length > (isEcho ? Self.echoLimit : Self.bodyLimit) { throw Refusal(unreadable: 413) }
    return try take(length)
  }

  /// Reads chunks (section 7.1). Ignores extensions and trailer fields.
  private func readChunks() throws -> [UInt8] {
    var content: [UInt8] = []
    while true {
      let line = String(decoding: try take(through: "\r\n", limit: 256), as: UTF8.self)
      let digits = ASCII.halves(line, at: ";").0
      let isNumber = (1...8).contains(digits.utf8.count) && digits.utf8.allSatisfy(\.isASCIIAlphanumeric)
      guard isNumber, let size = Int(digits, radix: 16) else { throw Refusal(unreadable: 400) }
      if size > Self.echoLimit - content.count { throw Refusal(unreadable: 413) }
      if size == 0 { break }
      content += try take(size)
      if try take(2) != Array("\r\n".utf8) { throw Refusal(unreadable: 400) }
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

  /// The bytes up to and including a mark. The limit is their maximum number.
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

  /// Appends received bytes to the buffer. Returns false after the deadline.
  private func receive() throws -> Bool {
    let events = try poller.wait(until: deadline)
    if events.isEmpty { return false }
    guard !events.contains(where: { $0.key == Self.stopKey }),
      try socket.descriptor.read(into: &buffer, upTo: 16_384) > 0
    else { throw Ended() }
    return true
  }
}
